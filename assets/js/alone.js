// Figures that the reader's browser computes: the same messages go to Python in a worker, and the answers bring the
// columns that changed.
import {python} from "./python.js"

export async function alone(session, boot) {
  const {page, gate, doc} = session
  const {say} = python(boot, (step, of) => page.progress(step < of ? `Python is starting: step ${step + 1} of ${of} …` : ""))
  try {
    await say({open: [...session.figures.keys()]})
  } catch (error) {
    page.progress("")
    page.notice(alone, `Python could not start in this browser (${error}). The page shows the state in which it was made.`, () => location.reload())
    return
  }
  session.tied(async message => {
    const answer = await say({hear: JSON.stringify(message)})
    paint(doc, answer.columns)
    gate.answer(answer)
  })
}

function paint(doc, columns) {
  for (const [name, changed] of Object.entries(columns)) {
    const source = doc.get_model_by_name(name)
    source.data = {...source.data, ...changed}
  }
}
