// Figures that share one document of Bokeh: it is drawn into their places, and their messages go to the Python that
// computes them, on the server or in this browser. The picture is the same for all readers; where this reader's differs,
// columns of its sources change.
import {FigureView} from "./figure.js"
import {Gate} from "./gate.js"
import {alone} from "./alone.js"
import {lean} from "./lean.js"
import {served} from "./served.js"
import {palette} from "./ramp.js"

// The scripts of the page run one after the other, and Bokeh's is the largest: ours are not to wait for it.
const bokeh = new Promise(done => window.Bokeh ? done() : addEventListener("DOMContentLoaded", done, {once: true}))

export class Session {
  doc = null

  constructor(els, page) {
    this.page = page
    this.gate = new Gate({onAnswer: answer => this.#take(answer), onBusy: busy => page.busy(this, busy)})
    this.figures = new Map(els.map(el => [el.dataset.figure, new FigureView(el, this.gate, page.address)]))
    addEventListener("themechange", () => this.#recolour())
  }

  // asked: figure → what the address wants of it, where the page was not made in that state already; from: the page whose
  // session this is
  async open({drawing, columns, boot, wire}, asked, from = location.href) {
    await bokeh
    for (const slug of this.figures.keys()) this.gate.put(slug, {everything: true, ...asked[slug] && {state: asked[slug]}})
    const tied = boot ? alone(this, boot) : served(this, wire, from)
    await Promise.all(["500 13px Inter", "700 13px Inter"].map(font => document.fonts.load(font)))  // a canvas does not wait for fonts
    lean()
    const {Document} = Bokeh.require("document")
    this.doc = Document.from_json(drawing)
    this.#paint(columns)
    this.#recolour()
    await Bokeh.embed.add_document_standalone(this.doc, document.body, this.doc.roots().map(({name}) => this.#place(name)))
    this.#nameCanvases()
    for (const {el} of this.figures.values()) el.dataset.drawn = "true"
    const send = await tied
    if (send) this.gate.connect(send)
  }

  // Where a plot is drawn; its name is such as lookup/keys.
  #place(name) {
    const [slug, plot] = name.split("/")
    return this.figures.get(slug).$(`[data-plot="${plot}"] .canvas`)
  }

  // JSON knows no NaN: there it is null.
  #paint(columns) {
    for (const [name, changed] of Object.entries(columns)) {
      const source = this.doc.get_model_by_name(name), news = {...source.data}
      for (const [column, values] of Object.entries(changed)) news[column] = values.map(value => value ?? NaN)
      source.data = news
    }
  }

  #take({figures, columns, problem}) {
    this.#paint(columns)
    for (const [slug, answer] of Object.entries(figures)) {
      this.figures.get(slug).take(answer)
      this.figures.get(slug).el.dataset.ready = "true"
    }
    if (problem) for (const figure of this.figures.values()) figure.problem(problem)
  }

  // Bokeh models carry notes (figures/theme.py): "line_color=query" is a colour of the style sheet, "line_width*1.5" a
  // size in pixels that grows with the text.
  #recolour() {
    if (!this.doc) return
    const style = getComputedStyle(document.documentElement), scale = parseFloat(style.fontSize) / 16
    const colour = name => style.getPropertyValue(`--${name}`).trim()
    for (const root of this.doc.roots()) for (const model of root.references()) for (const tag of model.tags ?? []) {
      const [, property, kind, value] = String(tag).match(/^(\w+)([=*])(.+)$/) ?? []
      if (kind === "=") model.setv({[property]: property === "palette" ? palette(value, colour) : colour(value)})
      if (kind === "*") model.setv({[property]: value.endsWith("px") ? `${parseFloat(value) * scale}px` : value * scale})
    }
  }

  // A canvas of Bokeh is a tab stop without a name. Ours is a picture; what can be done with it, the handles do.
  #nameCanvases() {
    for (const {el} of this.figures.values()) for (const plane of el.querySelectorAll("[data-plot]")) {
      const canvas = plane.querySelector(".canvas").firstElementChild?.shadowRoot?.querySelector(".bk-Canvas")
      const events = canvas?.shadowRoot?.querySelector(".bk-events") ?? canvas
      if (!events) continue
      events.tabIndex = -1
      events.setAttribute("role", "img")
      events.setAttribute("aria-label", plane.dataset.label)
    }
  }
}
