// The HTML of one figure: its controls write to the gate, answers from Python write to its text and controls.
// What the hand holds moves here at once; everything that follows from it is computed by `core` and comes as an answer.
import {Cells} from "./grid.js"
import {Pieces} from "./pieces.js"
import {Maps} from "./map.js"
import {Own} from "./own.js"
import {Handles} from "./handles.js"
import {MINUS, clamp, num, plain, readPoints, short, writePoints} from "./text.js"
import {stepped} from "./entries.js"
import {saveCsv, savePng, saveSvg} from "./save.js"
import {saveSheet} from "./sheet.js"
import {EmbedDialog} from "./embed_dialog.js"
import {linkOf} from "./address.js"
import {Extras} from "./extras.js"
import {Goals} from "./goals.js"
import {patch} from "./patch.js"

const QUIET = 800  // ms without a change before the description is announced and the address is written

export class FigureView {
  #rest = 0
  #names = ""  // of the points that can be moved

  constructor(el, gate, address) {
    this.el = el
    this.gate = gate
    this.address = address
    this.slug = el.dataset.figure
    this.texts = JSON.parse(el.dataset.knobs)  // knob → its value as text
    this.query = el.dataset.query  // this state as the address says it
    this.places = JSON.parse(el.dataset.places)  // knob → where its points are, also when the knob says nothing
    this.description = ""
    this.refused = []  // knobs whose last value was none
    this.sentBy = {}   // knob → the typed field that spoke for it last
    this.extras = new Extras(el, wish => gate.put(this.slug, wish))
    this.goals = new Goals(el)
    this.controls = []  // {knobs, show()}: what must follow when one of these knobs changes
    for (const input of el.querySelectorAll("input.slide")) this.#slide(input)
    for (const input of el.querySelectorAll("input.typed")) this.#typed(input)
    for (const input of el.querySelectorAll("input[type=checkbox]")) this.#switch(input)
    for (const input of el.querySelectorAll("input[type=radio]")) this.#choice(input)
    for (const group of el.querySelectorAll(".handles")) this.#handles(group)
    for (const button of el.querySelectorAll("[data-anew]")) this.#seed(button)
    if (this.$("[data-part=cells]")) this.#cells()
    if (this.$("[data-own]")) this.#ownHead()
    if (this.$("[data-part=stage]")) this.#pieces()
    for (const button of el.querySelectorAll("[data-preset]"))
      button.addEventListener("click", () => gate.put(this.slug, {preset: button.dataset.preset}))
    for (const button of el.querySelectorAll("[data-do]"))
      button.addEventListener("click", () => this.#do[button.dataset.do](button))
    this.#menu()
    this.#show(Object.keys(this.texts))
  }

  $(selector) { return this.el.querySelector(selector) }

  // New values from a control of this page.
  set(texts) {
    Object.assign(this.texts, texts)
    for (const name of Object.keys(texts)) if (name in this.places) this.places[name] = texts[name]
    this.#show(Object.keys(texts))
    this.gate.put(this.slug, {knobs: texts, ...this.maps?.wants()})
  }

  // Python may have forgotten what is no knob.
  again() {
    this.own?.again(this.maps.row)
  }

  // An answer from Python.
  take({knobs, names, places, parts, idle, sentence, description, preset, query, goals, problems, csv, code, numbers, sheet, field}) {
    const before = this.refused
    if (problems) this.refused = problems.map(problem => problem.split(":")[0])
    const news = Object.keys(knobs).filter(name => !this.gate.newer(this.slug, name))
    const changed = news.filter(name => this.texts[name] !== knobs[name] || this.places[name] !== places[name])
    for (const name of news) this.texts[name] = knobs[name]
    for (const name of Object.keys(places)) if (news.includes(name)) this.places[name] = places[name]
    this.#name(names)
    this.#show([...changed, ...before])  // the rest stands there already
    for (const [name, html] of Object.entries(parts)) patch(this.$(`[data-part="${name}"]`), html)
    if (parts.cells) this.#fill(JSON.parse(parts.cells), field)
    else if (field) this.maps?.read(field)
    if (Object.keys(parts).length) this.pieces?.fill()
    for (const el of this.el.querySelectorAll("fieldset[data-hide]")) el.disabled = el.dataset.hide in idle
    patch(this.$("[data-description]"), sentence)
    if (Object.keys(parts).length) this.#aim()
    for (const button of this.el.querySelectorAll("[data-preset]"))
      button.setAttribute("aria-pressed", button.dataset.preset === preset)
    if (problems) this.#refuse(problems)
    if (csv) {
      saveCsv(this.slug, csv)
      this.#say("Numbers saved.")
    }
    this.extras.show({code, numbers})
    this.goals.take(goals, query)
    const said = this.description && description !== this.description
    Object.assign(this, {description, query})
    this.el.dataset.query = query
    if (sheet) this.#save("Page", () => saveSheet(this, sheet))
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => this.#atRest(said), QUIET)
  }

  // Links that set a figure.
  #aim() {
    for (const link of this.el.querySelectorAll("[data-go]")) link.href = linkOf(link.dataset.go, link.dataset.query)
  }

  // Of the typed fields, only the one that was sent last for its knob is wrong.
  #isRefused(input) {
    return this.refused.includes(input.dataset.knob) && this.sentBy[input.dataset.knob] === input
  }

  #refuse(problems) {
    for (const input of this.el.querySelectorAll("input.typed")) {
      if (this.#isRefused(input)) input.setAttribute("aria-invalid", "true")
      else input.removeAttribute("aria-invalid")
    }
    this.problem(problems.join(" "))
  }

  problem(text) {
    const line = this.$("[data-problem]")
    if (line.textContent !== text) line.textContent = text
    line.hidden = !text
  }

  #atRest(said) {
    if (said) this.$("[data-announce]").textContent = this.description
    const news = this.goals.rest()
    if (news) this.#say(news)
    this.extras.refresh()
    this.address.write()
  }

  #show(knobs) {
    for (const control of this.controls) if (control.knobs.some(knob => knobs.includes(knob))) control.show()
  }

  #bind(knobs, show) { this.controls.push({knobs, show}) }

  #slide(input) {
    const knob = input.dataset.knob, log = "log" in input.dataset
    const [min, max] = [+input.min, +input.max]
    const steps = input.dataset.steps?.split(",")  // the slider then goes over their places
    const names = input.dataset.names && JSON.parse(input.dataset.names)  // of the stops of a slider that has few
    const text = () => steps ? steps[input.value] : plain(log ? +(10 ** input.value).toPrecision(3) : +(+input.value).toFixed(2))
    input.addEventListener("input", () => this.set({[knob]: text()}))
    input.addEventListener("keydown", event => {
      const sign = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1}[event.key]
      if (!sign || event.ctrlKey || event.altKey || event.metaKey) return
      event.preventDefault()
      const step = steps ? 1 : (log ? 0.05 : +input.dataset.fine) * (event.shiftKey ? 0.1 : 1)
      input.value = clamp(+input.value + sign * step, min, max)
      this.set({[knob]: text()})
    })
    this.#bind([knob], () => {
      const value = +this.texts[knob], at = steps ? steps.indexOf(this.texts[knob]) : log ? Math.log10(value) : value
      if (document.activeElement !== input || text() !== this.texts[knob]) input.value = at
      input.parentElement.style.setProperty("--at", (at - min) / (max - min))
      input.setAttribute("aria-valuetext", names?.[value - min] ?? (steps ? this.texts[knob] : num(value)))
    })
  }

  #typed(input) {
    const {knob, at} = input.dataset, [i, axis] = at?.split(",") ?? []
    const shown = () => "whole" in input.dataset ? this.texts[knob]
      : "short" in input.dataset ? short(value()) : num(value(), at ? 2 : 3)
    const value = () => at ? readPoints(this.places[knob])[i]?.[axis] ?? 0 : +this.texts[knob]
    let asked = null  // Enter is followed by a change event, which must not ask a second time
    const send = () => {
      if (input.value === asked || input.value === shown() && !this.#isRefused(input)) return
      asked = input.value
      this.sentBy[knob] = input
      if (!at) return this.gate.put(this.slug, {knobs: {[knob]: input.value}})
      const points = this.places[knob].split(";").map(pair => pair.split(","))
      points[i][axis] = input.value.trim().replace(",", ".").replace(MINUS, "-") || "nothing"
      const wish = {[knob]: points.map(pair => pair.join(",")).join(";")}
      if (Number.isFinite(+points[i][axis])) this.set(wish)  // at once, so that the next field builds on it
      else this.gate.put(this.slug, {knobs: wish})
    }
    let typing = false  // an answer to something earlier must not wipe out what is being typed
    const show = () => {
      const text = shown()
      if (!typing && !this.#isRefused(input) && input.value !== text) input.value = text
    }
    const done = act => { typing = false; act() }
    input.addEventListener("input", () => { typing = true; asked = null })
    input.addEventListener("change", () => done(send))
    input.addEventListener("focus", () => input.select())
    input.addEventListener("keydown", event => {
      if (event.key === "Enter") done(send)
      if (event.key === "Escape") {
        if (this.#isRefused(input)) { this.refused = []; this.#refuse([]) }
        asked = null
        done(show)
        input.select()
      }
    })
    if (input.dataset.fine) stepped(input, value, number => {
      input.value = short(number)
      asked = null
      done(send)
    })
    this.#bind([knob], show)
  }

  #switch(input) {
    const knob = input.dataset.knob
    input.addEventListener("change", () => this.set({[knob]: String(input.checked)}))
    this.#bind([knob], () => {
      input.checked = this.texts[knob] === "true"
      for (const el of this.el.querySelectorAll(`[data-when="${knob}"]`)) el.hidden = !input.checked
    })
  }

  // Two buttons of a seed: go to a new one, go back to zero.
  #seed(anew) {
    const knob = anew.dataset.anew, clear = this.$(`[data-clear="${knob}"]`)
    let last = 0
    anew.addEventListener("click", () => this.set({[knob]: String(Math.max(last, +this.texts[knob]) % +anew.dataset.high + 1)}))
    clear.addEventListener("click", () => {
      anew.focus()  // a button that is switched off cannot keep the focus
      this.set({[knob]: "0"})
    })
    this.#bind([knob], () => {
      last = +this.texts[knob] || last
      clear.disabled = this.texts[knob] === "0"
    })
  }

  #cells() {
    this.cells = new Cells(this.el, row => this.set({row: String(row + 1)}))
    this.#bind(["row"], () => this.cells.pick(+this.texts.row - 1))
  }

  // A head of the reader's own stands in the place of the cells.
  #ownHead() {
    const send = wish => this.gate.put(this.slug, wish)
    this.own = new Own(this.el, {send, waits: () => this.gate.waits(this.slug, "load"), problem: text => this.problem(text)})
    this.maps = new Maps(this.el, {pick: row => send({own_row: row + 1}), ask: () => send({field: true})})
  }

  #fill(data, field) {
    this.own?.took(data.own)
    if (this.cells) this.cells.off = !!data.own
    if (data.own) return this.maps.fill(data, field, this.gate.waits(this.slug, "own_row"))
    this.maps?.close()
    this.cells?.fill(data)
  }

  #pieces() {
    this.pieces = new Pieces(this.el, step => this.set({step}))
    this.#bind(["step"], () => this.pieces.step(this.texts.step))
  }

  #choice(input) {
    const knob = input.dataset.knob
    input.addEventListener("change", () => this.set({[knob]: input.value}))
    this.#bind([knob], () => { input.checked = this.texts[knob] === input.value })
  }

  // Points may come and go with what they belong to: as many handles and rows are there as names.
  #name(names) {
    if (names.join() === this.#names) return
    this.#names = names.join()
    for (const group of this.el.querySelectorAll(".handles-key, .handles-value")) {
      const of = group.classList.contains("handles-key") ? "key" : "value"
      for (const [i, handle] of [...group.children].entries()) {
        handle.hidden = i >= names.length
        handle.setAttribute("aria-label", `${of} of ${names[i]}`)
      }
    }
    for (const row of this.el.querySelectorAll(".coordinates [data-row]")) {
      const name = names[row.dataset.row] ?? ""
      row.hidden = !name
      row.querySelector("th").textContent = name
      for (const field of row.querySelectorAll("input")) field.setAttribute("aria-label", field.dataset.of.replace("%", name))
    }
  }

  #handles(el) {
    const {knobs} = JSON.parse(el.dataset.spec)
    const write = points => knobs.length === 2
      ? {[knobs[0]]: plain(points[0][0]), [knobs[1]]: plain(points[0][1])}
      : {[knobs[0]]: writePoints(points)}
    const read = () => knobs.length === 2 ? [knobs.map(knob => +this.texts[knob])] : readPoints(this.places[knobs[0]])
    const group = new Handles(el, points => this.set(write(points)))
    this.#bind(knobs, () => group.place(read()))
  }

  #say(text) {
    const said = this.$("[data-said]")
    said.textContent = text
    setTimeout(() => { if (said.textContent === text) said.textContent = "" }, 4000)
  }

  async #copy(what, text) {
    try {
      await navigator.clipboard.writeText(text)
      this.#say(`${what} copied.`)
      return true
    } catch {  // no permission, or a page without https
      return false
    }
  }

  async #copyLink() {
    const link = this.address.link(this.address.lesson ? `#${this.el.id}` : undefined)
    if (!await this.#copy("Link", link)) {  // show it, selected, for the reader's own copy key
      const field = Object.assign(document.createElement("input"), {value: link, readOnly: true, className: "link"})
      field.setAttribute("aria-label", "Link to this state")
      this.$("[data-said]").replaceChildren(field)
      field.select()
    }
  }

  async #save(kind, how) {
    try {
      await how(this.el, this.slug)
      this.#say(`${kind} saved.`)
    } catch (error) {
      console.error(error)
      this.problem(`The ${kind} could not be saved: ${error.message}`)
    }
  }

  #do = {
    reset: () => this.gate.put(this.slug, {reset: true}),
    link: () => this.#copyLink(),
    code: button => this.extras.toggle("code", button),
    numbers: button => this.extras.toggle("numbers", button),
    goals: button => this.goals.toggle(button),
    forget: () => this.#say(this.goals.forget()),
    copyCode: async () => {
      if (!await this.#copy("Code", this.extras.code)) this.extras.selectCode()
    },
    csv: () => this.gate.put(this.slug, {csv: true}),
    png: () => this.#save("Picture", savePng),
    svg: () => this.#save("Picture", saveSvg),
    sheet: () => this.gate.put(this.slug, {sheet: true}),
    embed: () => (this.embed ??= new EmbedDialog(this)).open(),
    menu: button => this.#open(button, button.nextElementSibling.hidden),
  }

  #open(button, open) {
    button.nextElementSibling.hidden = !open
    button.setAttribute("aria-expanded", open)
  }

  #menu() {
    const button = this.$("[data-do=menu]"), menu = button.parentElement
    menu.addEventListener("keydown", event => {
      if (event.key !== "Escape") return
      this.#open(button, false)
      button.focus()
    })
    document.addEventListener("pointerdown", event => { if (!menu.contains(event.target)) this.#open(button, false) })
    menu.querySelector(".menu-list").addEventListener("click", () => this.#open(button, false))
    menu.addEventListener("focusout", event => {
      if (event.relatedTarget && !menu.contains(event.relatedTarget)) this.#open(button, false)
    })
  }
}
