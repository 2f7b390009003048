// Figures that the reader's browser computes: the same messages go to Python in a worker (worker.js), one for all
// figures of the page, and the answers bring the columns that changed.
let worker = null
const sessions = []

export function alone(session, boot) {
  const of = sessions.push(session) - 1
  worker ??= start(boot, session.page)
  worker.postMessage({open: [...session.figures.keys()], of})
}

function start(boot, page) {
  const python = new Worker(new URL("worker.js", import.meta.url), {type: "module"})

  function fail(error) {
    page.progress("")
    page.notice(python, `Python could not start in this browser (${error}). The page shows the state in which it was made.`, () => location.reload())
  }

  python.onerror = event => fail(event.message || "the worker did not load")
  python.onmessage = ({data}) => {
    if (data.failed) return fail(data.failed)
    if (data.stage) page.progress(`Python is starting: step ${data.stage} of ${data.of} …`)
    if (data.ready) {
      page.progress("")
      navigator.serviceWorker?.register(new URL(boot.offline, document.baseURI))  // the next visit needs no connection
    }
    const session = sessions[data.of]
    if (data.opened) session.tied(message => python.postMessage({text: JSON.stringify(message), of: data.of}))
    if (data.answer) {
      paint(session.doc, data.answer.columns)
      session.gate.answer(data.answer)
    }
  }
  python.postMessage({boot: {
    pyodide: new URL(boot.pyodide, document.baseURI).href,
    archive: new URL(boot.archive, document.baseURI).href,
  }})
  return python
}

function paint(doc, columns) {
  for (const [name, changed] of Object.entries(columns)) {
    const source = doc.get_model_by_name(name)
    source.data = {...source.data, ...changed}
  }
}
