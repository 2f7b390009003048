// The way to Python's scheduler (lesson/deck.py): a message goes, an answer comes. Only this module knows how it travels.
import {python} from "./python.js"

const PATIENCE = 8000  // ms
const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "null")  // there in a static site

// Python understood the message and says no: asking again would not help.
export class Refused extends Error {}

export const ask = async message => {
  const answer = boot ? await python(boot).say({schedule: JSON.stringify(message)}) : await post(message)
  if (answer.problem) throw new Refused(answer.problem)
  return answer
}

async function post(message) {
  const response = await fetch(new URL("review/schedule", document.baseURI), {
    method: "POST", body: JSON.stringify(message), headers: {"Content-Type": "application/json"},
    signal: AbortSignal.timeout(PATIENCE),
  })
  return response.json()
}
