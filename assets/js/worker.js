// Python in the reader's browser: the one place where it boots. Messages in and out are the same texts as on the wire to
// a server (figures/live.py); `stage` messages say how far the boot has come.
let hear = null
const waiting = []

self.onmessage = ({data}) => {
  if (data.boot) boot(data.boot).catch(error => self.postMessage({failed: String(error)}))
  else if (hear) self.postMessage({answer: hear(data.text)})
  else waiting.push(data.text)
}

async function boot({pyodide, archive, figures}) {
  const stage = number => self.postMessage({stage: number, of: 3})
  const code = fetch(archive).then(answer => answer.ok ? answer.arrayBuffer() : Promise.reject(new Error(`${archive}: ${answer.status}`)))
  stage(1)
  const {loadPyodide} = await import(`${pyodide}pyodide.mjs`)
  const python = await loadPyodide({indexURL: pyodide, packages: ["numpy"]})
  stage(2)
  python.unpackArchive(await code, "tar", {extractDir: "/lab"})
  python.runPython("import sys; sys.path.insert(0, '/lab')")
  const inside = python.pyimport("export.inside")
  stage(3)
  inside.start(python.toPy(figures))
  hear = inside.hear
  self.postMessage({ready: true})
  for (const text of waiting) self.postMessage({answer: hear(text)})
}
