// Python in this browser: one worker for everything on the page. Each message is answered once, in any order.
let worker = null, sent = 0
const waiting = new Map()

// boot: where Pyodide and our code are; progress(step, of) while it starts
export function python(boot, progress = () => {}) {
  worker ??= start(boot, progress)
  return worker
}

function start({pyodide, archive, offline}, progress) {
  const thread = new Worker(new URL("worker.js", import.meta.url), {type: "module"})
  const here = address => new URL(address, document.baseURI).href
  let fail
  const failed = new Promise((_, reject) => { fail = reject })
  failed.catch(() => {})  // who asks hears of it
  thread.onerror = event => fail(event.message || "the worker did not load")
  thread.onmessage = ({data}) => {
    if (data.failed) return fail(data.failed)
    if (data.step !== undefined) return progress(data.step, data.of)
    waiting.get(data.to)(data.answer)
    waiting.delete(data.to)
  }
  thread.postMessage({boot: {pyodide: here(pyodide), archive: here(archive)}})

  // message: {open: slugs}, {hear: text} or {schedule: text}
  const say = message => {
    const to = ++sent
    const answered = new Promise(done => waiting.set(to, done))
    thread.postMessage({...message, to})
    return Promise.race([answered, failed])
  }
  // The next visit needs no connection: once Python is here, the browser keeps the site.
  say({open: []}).then(() => navigator.serviceWorker?.register(here(offline)), () => {})
  return {say}
}
