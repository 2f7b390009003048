// Python in the reader's browser, and the one place where it boots. Messages to figures are the same texts as on the
// wire to a server (figures/live.py); `to` is the number of a message and comes back with its answer.
let inside = null, booted = null

self.onmessage = async ({data}) => {
  if (data.boot) booted = boot(data.boot).catch(error => self.postMessage({failed: String(error)}))
  await booted
  if (inside && data.to) self.postMessage({answer: answer(data), to: data.to})
}

async function boot({pyodide, archive}) {
  const step = number => self.postMessage({step: number, of: 3})
  step(0)
  const files = fetch(archive).then(reply => reply.ok ? reply.arrayBuffer() : Promise.reject(new Error(`${archive}: ${reply.status}`)))
  const {loadPyodide} = await import(`${pyodide}pyodide.mjs`)
  const python = await loadPyodide({indexURL: pyodide, packages: ["numpy"]})
  step(1)
  unpack(await files, python.FS, "/lab")
  python.runPython("import sys; sys.path.insert(0, '/lab')")
  step(2)
  inside = python.pyimport("export.inside")
  step(3)
}

function answer({open, hear, schedule}) {
  for (const slug of open ?? []) inside.open(slug)
  if (hear) return JSON.parse(inside.hear(hear))
  if (schedule) return JSON.parse(inside.schedule(schedule))
}

// Plain tar: a header of 512 bytes (name, and size in octal), then the content, padded to the next 512.
function unpack(buffer, FS, folder) {
  const bytes = new Uint8Array(buffer), text = new TextDecoder()
  const field = (at, size) => text.decode(bytes.subarray(at, at + size)).split("\0")[0].trim()
  for (let at = 0; bytes[at]; ) {
    const path = `${folder}/${field(at, 100)}`, size = parseInt(field(at + 124, 12), 8)
    FS.mkdirTree(path.slice(0, path.lastIndexOf("/")))
    FS.writeFile(path, bytes.subarray(at + 512, at + 512 + size))
    at += 512 + Math.ceil(size / 512) * 512
  }
}
