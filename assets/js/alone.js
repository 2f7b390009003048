// Figures that the reader's browser computes: the same messages go to Python in a worker (worker.js), and the answers
// bring the columns that changed.
export function alone({doc, gate, figures, notice, tied, boot, progress}) {
  const worker = new Worker(new URL("worker.js", import.meta.url), {type: "module"})

  function fail(error) {
    progress("")
    notice(`Python could not start in this browser (${error}). The page shows the state in which it was made.`, () => location.reload())
  }

  worker.onerror = event => fail(event.message || "the worker did not load")
  worker.onmessage = ({data}) => {
    if (data.failed) return fail(data.failed)
    if (data.stage) progress(`Python is starting: step ${data.stage} of ${data.of} …`)
    if (data.ready) {
      progress("")
      gate.connect(message => worker.postMessage({text: JSON.stringify(message)}))
    }
    if (data.answer) {
      paint(data.answer.columns)
      gate.answer(data.answer)
    }
  }
  worker.postMessage({boot: {
    pyodide: new URL(boot.pyodide, document.baseURI).href,
    archive: new URL(boot.archive, document.baseURI).href,
    figures: [...figures.keys()],
  }})

  function paint(columns) {
    for (const [name, changed] of Object.entries(columns)) {
      const source = doc.get_model_by_name(name)
      source.data = {...source.data, ...changed}
    }
  }

  // The page was made in the state of the defaults; the address may ask for another.
  const asked = Object.fromEntries(new URLSearchParams(location.search))
  for (const [slug, figure] of figures) {
    const knobs = Object.fromEntries(Object.entries(asked).filter(([name]) => name in figure.texts))
    if (Object.keys(knobs).length) gate.put(slug, {knobs})
  }
  tied()
}
