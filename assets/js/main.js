// The page wakes up: figures get their controls at once, Bokeh draws into its places, the wire to Python is tied.
import {FigureView} from "./figure.js"
import {Gate} from "./gate.js"
import {alone} from "./alone.js"
import {served} from "./served.js"
import {palette} from "./ramp.js"

const figures = new Map()
const gate = new Gate({
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

let doc = null

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

const line = document.querySelector("[data-connection]")
function notice(text, again) {
  line.replaceChildren(text)
  line.hidden = !text
  if (!again) return
  const button = Object.assign(document.createElement("button"), {type: "button", className: "btn", textContent: "Try again"})
  button.addEventListener("click", again)
  line.append(" ", button)
}

const progress = text => { document.querySelector("[data-progress]").textContent = text }

async function wake() {
  await Promise.all(["500 13px Inter", "700 13px Inter"].map(font => document.fonts.load(font)))  // a canvas does not wait for fonts
  const {docs, items, boot} = JSON.parse(document.getElementById("session").textContent)
  await Bokeh.embed.embed_items(docs, items)
  doc = Bokeh.documents.at(-1)
  document.documentElement.dataset.drawn = "true"
  for (const slug of figures.keys()) gate.put(slug, {everything: true})
  const tied = () => { recolour(); nameCanvases() }
  if (boot) alone({doc, gate, figures, notice, tied, boot, progress})
  else served({doc, gate, figures, notice, tied})
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
    const texts = Object.entries(event.data.knobs ?? {})
      .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value)).map(([knob, value]) => [knob, String(value)])
    for (const slug of figures.keys()) gate.put(slug, {knobs: Object.fromEntries(texts)})
  })
}

talkToParent()
await wake()
