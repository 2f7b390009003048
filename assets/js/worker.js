// Python in the reader's browser, and the one place where it boots. Messages are the same texts as on the wire to a
// server (figures/live.py); `stage` says how far the boot has come.
let inside = null, booted = null

self.onmessage = async ({data}) => {
  if (data.boot) booted = boot(data.boot).catch(error => self.postMessage({failed: String(error)}))
  await booted
  if (!inside) return
  if (data.open) open(data)
  if (data.text) answer(data)
}

async function boot({pyodide, archive}) {
  const stage = number => self.postMessage({stage: number, of: 3})
  stage(1)
  const files = fetch(archive).then(reply => reply.ok ? reply.arrayBuffer() : Promise.reject(new Error(`${archive}: ${reply.status}`)))
  const {loadPyodide} = await import(`${pyodide}pyodide.mjs`)
  const python = await loadPyodide({indexURL: pyodide, packages: ["numpy"]})
  stage(2)
  unpack(await files, python.FS, "/lab")
  python.runPython("import sys; sys.path.insert(0, '/lab')")
  stage(3)
  inside = python.pyimport("export.inside")
  self.postMessage({ready: true})
}

// `of` says which session of the page asks; the answer carries it back.
function open({open: slugs, of}) {
  for (const slug of slugs) inside.open(slug)
  self.postMessage({opened: true, of})
}

function answer({text, of}) {
  const dictionary = inside.hear(text)
  self.postMessage({answer: dictionary.toJs({dict_converter: Object.fromEntries}), of})
  dictionary.destroy()
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
