// The page wakes up: figures get their controls at once, Bokeh draws into its places, the wire to Python is tied.
import {FigureView} from "./figure.js"
import {Gate} from "./gate.js"
import {palette} from "./ramp.js"

const figures = new Map()
const gate = new Gate({
  send: message => { wire.up = JSON.stringify(message) },
  onAnswer: ({figures: answers, problem}) => {
    for (const [slug, answer] of Object.entries(answers)) {
      figures.get(slug).take(answer)
      figures.get(slug).el.dataset.ready = "true"
    }
    if (problem) for (const figure of figures.values()) figure.problem(problem)
  },
  onBusy: busy => { document.documentElement.dataset.busy = busy },
})
for (const el of document.querySelectorAll("[data-figure]")) figures.set(el.dataset.figure, new FigureView(el, gate))

let wire = null  // the Bokeh model that carries messages (figures/live.py)
let doc = null

function tie() {
  wire = doc.get_model_by_name("wire")
  wire.syncable = true
  wire.properties.down.change.connect(() => gate.answer(JSON.parse(wire.down)))
  recolour()
  nameCanvases()
  gate.connect()
}

// Bokeh models carry notes (figures/theme.py): "line_color=query" is a colour of the style sheet, "line_width*1.5" a
// size in pixels that grows with the text.
function recolour() {
  if (!doc) return
  const style = getComputedStyle(document.documentElement), scale = parseFloat(style.fontSize) / 16
  const colour = name => style.getPropertyValue(`--${name}`).trim()
  for (const root of doc.roots()) for (const model of root.references()) for (const tag of model.tags ?? []) {
    const [, property, kind, value] = String(tag).match(/^(\w+)([=*])(.+)$/) ?? []
    if (kind === "=") model.setv({[property]: property === "palette" ? palette(value, colour) : colour(value)})
    if (kind === "*") model.setv({[property]: value.endsWith("px") ? `${parseFloat(value) * scale}px` : value * scale})
  }
}
addEventListener("themechange", recolour)

// A canvas of Bokeh is a tab stop without a name. Ours is a picture; what can be done with it, the handles do.
function nameCanvases() {
  for (const plane of document.querySelectorAll("[data-plot]")) {
    const canvas = plane.querySelector(".canvas").firstElementChild?.shadowRoot?.querySelector(".bk-Canvas")
    const events = canvas?.shadowRoot?.querySelector(".bk-events") ?? canvas
    if (!events) continue
    events.tabIndex = -1
    events.setAttribute("role", "img")
    events.setAttribute("aria-label", plane.dataset.label)
  }
}

const notice = document.querySelector("[data-connection]")
function connection(text, again) {
  notice.replaceChildren(text)
  notice.hidden = !text
  if (!again) return
  const button = Object.assign(document.createElement("button"), {type: "button", className: "btn", textContent: "Try again"})
  button.addEventListener("click", again)
  notice.append(" ", button)
}

function watchConnection() {
  doc.on_event("connection_lost", (_doc, event) => {
    gate.disconnect()
    // null: Bokeh gives up. The state is in the address, so a fresh page shows it again.
    if (event.timeout === null) connection("The server does not answer. Your state is kept in the address.", () => location.reload())
    else connection("Connection lost. The figure waits for the server and goes on by itself.")
  })
  doc.on_event("client_reconnected", () => {
    connection("")
    tie()
    for (const [slug, figure] of figures) gate.put(slug, {knobs: {...figure.texts}, everything: true})
  })
}

async function wake() {
  await Promise.all(["500 13px Inter", "700 13px Inter"].map(font => document.fonts.load(font)))  // a canvas does not wait for fonts
  const session = JSON.parse(document.getElementById("session").textContent)
  await Bokeh.embed.embed_items({}, [session])
  doc = Bokeh.documents.at(-1)
  watchConnection()
  for (const [slug] of figures) gate.put(slug, {everything: true})
  tie()
}

// For pages that embed a figure: our height goes up, a state may come down.
function talkToParent() {
  if (window.parent === window) return
  const tell = () => {
    for (const slug of figures.keys())
      window.parent.postMessage({type: "figure-height", slug, height: document.documentElement.scrollHeight}, "*")
  }
  new ResizeObserver(tell).observe(document.body)
  addEventListener("message", event => {
    if (event.source !== window.parent || event.data?.type !== "figure-state") return
    const texts = Object.entries(event.data.knobs ?? {}).map(([knob, value]) => [knob, String(value)])
    for (const slug of figures.keys()) gate.put(slug, {knobs: Object.fromEntries(texts)})
  })
}

talkToParent()
await wake()
