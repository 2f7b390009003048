// The page wakes up. On a figure's own page its session is there already; in the lesson every figure gets its own, from
// that page, when it comes near the view.
import {Address, pageOf, written} from "./address.js"
import {talkToParent} from "./framed.js"
import {Session} from "./session.js"

const root = document.documentElement
const els = [...document.querySelectorAll("[data-figure]")]
const own = document.getElementById("session")
const figures = new Map(), sessions = new Map()

const page = {
  address: new Address(figures, !own),
  busy: (session, busy) => {
    session.waits = busy
    root.dataset.busy = [...sessions.values()].some(each => each.waits)
  },
  progress: text => { document.querySelector("[data-progress]").textContent = text },
  notice,
}

// One line for whatever has something to say about the connection; the latest is shown.
const notices = new Map()
function notice(who, text, again) {
  notices.delete(who)
  if (text) notices.set(who, {text, again})
  const line = document.querySelector("[data-connection]"), last = [...notices.values()].at(-1)
  line.replaceChildren(last?.text ?? "")
  line.hidden = !last
  if (!last?.again) return
  const button = Object.assign(document.createElement("button"), {type: "button", className: "btn", textContent: "Try again"})
  button.addEventListener("click", last.again)
  line.append(" ", button)
}

function register(session) {
  for (const [slug, figure] of session.figures) {
    figures.set(slug, figure)
    sessions.set(slug, session)
  }
}

async function wakeOwn() {
  register(new Session(els, page))
  for (const slug of figures.keys()) opened.add(slug)
  addEventListener("click", follow)
  talkToParent(sessions)
  const content = JSON.parse(own.textContent)
  // The server makes the page in the state of the address, a static page is made in the first state.
  const asked = content.boot ? Object.fromEntries(els.map(el => [el.dataset.figure, page.address.asked(el.dataset.figure)])) : {}
  await sessions.get(els[0].dataset.figure).open(content, asked)
}

function wakeLesson() {
  for (const el of els) register(new Session([el], page))
  for (const [slug, figure] of figures) figure.query = Object.entries(page.address.asked(slug)).map(written).join("&")  // until it is opened, the address keeps it
  const near = new IntersectionObserver(entries => {
    for (const {isIntersecting, target} of entries) if (isIntersecting) open(target.dataset.figure)
  }, {rootMargin: "600px 0px"})
  for (const el of els) near.observe(el)
  open(els[0].dataset.figure)
  addEventListener("click", follow)
}

const opened = new Set()
let queue = Promise.resolve()

// One after the other: two at once would be ready later than the first alone.
function open(slug) {
  if (opened.has(slug)) return
  opened.add(slug)
  const session = sessions.get(slug)
  queue = queue.then(async () => session.open(await arrived(session, slug), {[slug]: page.address.asked(slug)}, pageOf(slug)))
    .catch(error => {
      console.error(error)
      session.figures.get(slug).problem("This figure could not start. Reload the page to try again.")
    })
}

// The session of a figure, however long the server takes to come back.
async function arrived(session, slug) {
  for (let wait = 1; ; wait = Math.min(2 * wait, 15)) {
    const reply = await fetch(pageOf(slug)).catch(() => null)
    if (reply?.ok) {
      page.notice(session, "")
      return sessionIn(await reply.text())
    }
    page.notice(session, "The server does not answer. The text is all here; the figures wait and start by themselves.")
    await new Promise(done => {
      setTimeout(done, wait * 1000)
      addEventListener("online", done, {once: true})
    })
  }
}

// The page of a figure holds its session.
function sessionIn(html) {
  return JSON.parse(new DOMParser().parseFromString(html, "text/html").getElementById("session").textContent)
}

// A link that sets a figure of this page: the figure takes the state, comes into view and is marked, and one step back
// in the history leads to where one was reading.
function follow(event) {
  const link = event.target.closest?.("a[data-go]"), figure = figures.get(link?.dataset.go)
  if (!figure || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const slug = figure.slug, knobs = Object.fromEntries(new URLSearchParams(link.dataset.query))
  open(slug)
  sessions.get(slug).gate.put(slug, {reset: true, unload: true, knobs})  // the text speaks of the sentence, not of a loaded head
  history.pushState(null, "", page.address.link(`#${figure.el.id}`))
  const title = figure.$(".fig-title")
  title.tabIndex = -1
  title.focus({preventScroll: true})
  figure.el.scrollIntoView()
  figure.el.classList.remove("marked")
  void figure.el.offsetWidth  // so that the mark starts anew
  figure.el.classList.add("marked")
}

if (own) await wakeOwn()
else wakeLesson()
