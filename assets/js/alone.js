// Figures that the reader's browser computes: the same messages go to Python in a worker.
import {python} from "./python.js"

// The promise gives what sends a message, or nothing where Python cannot start.
export async function alone({figures, gate, page}, boot) {
  const {say} = python(boot, (step, of) => page.progress(step < of ? `Python is starting: step ${step + 1} of ${of} …` : ""))
  try {
    await say({open: [...figures.keys()]})
  } catch (error) {
    page.progress("")
    page.notice(alone, `Python could not start in this browser (${error}). The page shows the state in which it was made.`, () => location.reload())
    return
  }
  return async message => gate.answer(await say({hear: JSON.stringify(message)}))
}
