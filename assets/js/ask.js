// The way to Python's scheduler (lesson/deck.py): a message goes, an answer comes. Only this module knows how it travels.
const PATIENCE = 8000  // ms

// Python understood the message and says no: asking again would not help.
export class Refused extends Error {}

export const ask = async message => {
  const response = await fetch(new URL("review/schedule", document.baseURI), {
    method: "POST", body: JSON.stringify(message), headers: {"Content-Type": "application/json"},
    signal: AbortSignal.timeout(PATIENCE),
  })
  const answer = await response.json()
  if (answer.problem) throw new Refused(answer.problem)
  return answer
}
