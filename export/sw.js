// Keeps the whole site in the browser, so that a second visit needs no connection. Made by `python -m export`: a new
// version of the site is a new name, and takes over when no page of the old one is open any more.
const NAME = "attention-lab " + self.registration.scope, VERSION = "@version"
const FILES = "@files"          // of this site
const PYODIDE = "@pyodide"      // address of Python where it is not among them, "" where it is
const CACHE = `${NAME} ${VERSION}`

self.addEventListener("install", event => event.waitUntil(fill()))

async function fill() {
  const cache = await caches.open(CACHE)
  const keep = async address => {
    const reply = await fetch(address, {cache: "force-cache"})  // the browser has most of them from this very visit
    if (!reply.ok) throw new Error(`${address}: ${reply.status}`)
    await cache.put(address, reply)
  }
  for (const file of FILES) await keep(new URL(file, self.registration.scope).href)
  if (PYODIDE) for (const file of await pythonFiles()) await keep(PYODIDE + file)
}

async function pythonFiles() {
  const lock = await (await fetch(`${PYODIDE}pyodide-lock.json`, {cache: "force-cache"})).json()
  return ["pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json", lock.packages.numpy.file_name]
}

self.addEventListener("activate", event => event.waitUntil(takeOver()))

async function takeOver() {
  for (const name of await caches.keys()) if (name.startsWith(NAME + " ") && name !== CACHE) await caches.delete(name)
  await self.clients.claim()
}

// What is kept comes from here, whatever state or version its address names; everything else takes its usual way.
self.addEventListener("fetch", event => {
  const {method, url} = event.request
  if (method !== "GET" || !(url.startsWith(self.registration.scope) || PYODIDE && url.startsWith(PYODIDE))) return
  event.respondWith(caches.open(CACHE).then(cache => cache.match(url, {ignoreSearch: true})).then(kept => kept ?? fetch(event.request)))
})
