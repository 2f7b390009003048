// Heatmaps of a head too large for a grid of HTML: one picture a heatmap, one cell at hand, and a window that zooms.
// All numbers come from Python: levels of colour and the picked row with every answer, the whole field at rest.
import {clamp, num} from "./text.js"

const READABLE = 6    // a window of so many rows shows names and numbers
const REST = 150      // ms without news before the field is asked for
const DRAGGED = 6     // pixels that make a drag of a click
const HIDDEN = 255, EMPTY = 254  // levels, see figures/own_view.py
const shadeOf = {  // level → place on the ramp of colours, none for what is masked
  scores: level => level >= EMPTY ? NaN : level / 50 - 1,
  weights: level => level >= EMPTY ? NaN : level / 100,
}
const CLOSED = {image: [], size: []}
const BARE = {left: [], right: [], bottom: [], top: [], pattern: []}

export class Maps {
  #data = null
  #levels = {}      // plot → one level a cell
  #field = null     // plot → one number a cell, or null while they are those of another state
  #hover = null     // [row, column] under the mouse
  #row = 0
  #column = 0
  #window = {row: 0, column: 0, size: 1}
  #hatched = ""
  #later = 0

  // pick(row) is told of rows that the reader picks, ask() asks for the field, heights change with the zoom.
  constructor(el, {pick, ask}) {
    Object.assign(this, {el, pick, ask})
    this.slug = el.dataset.figure
    this.line = el.querySelector("[data-cell-line]")
    this.announce = el.querySelector("[data-announce]")
    this.tools = el.querySelector("[data-zoom-tools]")
    this.range = el.querySelector("[data-zoom-range]")
    this.maps = [...el.querySelectorAll(".heat")].map(heat => this.#build(heat))
    for (const button of this.tools.querySelectorAll("[data-zoom]"))
      button.addEventListener("click", () => this.#zoom(button.dataset.zoom))
  }

  // The picked row, from 1.
  get row() { return this.#row + 1 }

  get open() { return this.#data !== null }

  // What every change must bring along, so that numbers that can be seen follow it.
  wants() { return this.open && this.#window.size <= READABLE ? {field: true} : {} }

  fill(data, field, rowWaits) {
    const fresh = data.own.id !== this.#data?.own.id, T = data.tokens.length
    const same = !fresh && Object.keys(data.levels).every(name => data.levels[name] === this.#data.levels[name])
    if (!same) {
      for (const name of Object.keys(data.levels)) this.#levels[name] = bytes(data.levels[name])
      this.#field = null
    }
    this.#data = data
    if (!rowWaits) this.#row = data.own.row - 1
    if (fresh) {
      this.#column = widest(data.at.weights)
      this.#hover = null
      this.#window = {row: 0, column: 0, size: T}
      this.#frame()
    }
    if (field) this.read(field)
    else this.draw()
    clearTimeout(this.#later)
    if (!this.#field) this.#later = setTimeout(this.ask, this.#window.size <= READABLE ? 0 : REST)
  }

  // All numbers of the state that is shown.
  read(field) {
    if (!this.open) return
    this.#field = Object.fromEntries(Object.entries(field).map(([name, text]) => [name, new Float64Array(bytes(text).buffer)]))
    this.draw()
  }

  close() {
    if (!this.open) return
    clearTimeout(this.#later)
    this.#data = this.#field = null
    this.#hatched = ""
    for (const {name} of this.maps) {
      put(this.#model(`.map ${name}`), CLOSED)
      put(this.#model(`.map ${name} hatch`), BARE)
    }
    this.#window = {row: 0, column: 0, size: this.el.querySelectorAll("[data-grid] [data-row]").length / this.maps.length}
    this.#look(this.#window.size)
    this.#frame()
  }

  draw() {
    if (!this.open) return
    const T = this.#data.tokens.length, hatches = this.#hatches(), key = JSON.stringify(hatches)
    const {ndarray} = Bokeh.require("core/util/ndarray")
    for (const {name} of this.maps) {
      put(this.#model(`.map ${name}`), {image: [ndarray(Float32Array.from(this.#levels[name], shadeOf[name]), {shape: [T, T], dtype: "float32"})], size: [T]})
      if (key !== this.#hatched) put(this.#model(`.map ${name} hatch`), hatches)
      this.#cells(name)
    }
    this.#hatched = key
    this.#look(T)
    this.#show()
  }

  #model(name) {
    return Bokeh.documents.map(doc => doc.get_model_by_name(this.slug + name)).find(Boolean)
  }

  // The part of the matrix that the pictures show.
  #look(T) {
    const {row, column, size} = this.#window
    for (const {name} of this.maps) {
      const plot = this.#model(`/${name}`)
      plot.x_range.setv({start: column, end: column + size}, {sync: false})
      plot.y_range.setv({start: T - row - size, end: T - row}, {sync: false})
    }
  }

  // Masked cells lie in stretches, which rows that follow each other often have in common: few rectangles carry the hatch.
  #hatches() {
    const T = this.#data.tokens.length, {scores, weights} = this.#levels, made = {left: [], right: [], bottom: [], top: [], pattern: []}
    let open = new Map()
    for (let i = 0; i < T; i++) {
      const next = new Map(), pattern = weights[i * T] === EMPTY ? "diagonal_cross" : "right_diagonal_line"
      for (let j = 0; j < T; j++) {
        if (scores[i * T + j] !== HIDDEN) continue
        const left = j
        while (j < T && scores[i * T + j] === HIDDEN) j++
        const key = `${left},${j},${pattern}`, at = open.get(key) ?? made.left.length
        next.set(key, at)
        if (open.has(key)) made.bottom[at] = T - i - 1
        else for (const [edge, value] of Object.entries({left, right: j, top: T - i, bottom: T - i - 1, pattern})) made[edge].push(value)
      }
      open = next
    }
    return made
  }

  // The cells of a window in which numbers can be read, drawn as those of the sentence.
  #cells(name) {
    const source = this.#model(`.${name}`), T = this.#data.tokens.length, {row, column, size} = this.#window
    const made = {x: [], y: [], shade: [], text: [], size: []}, hatched = {lines: {x: [], y: []}, crosses: {x: [], y: []}}
    if (size <= READABLE) for (let i = row; i < row + size; i++) for (let j = column; j < column + size; j++) {
      const level = this.#levels[name][i * T + j], hidden = level >= EMPTY
      const text = level === EMPTY ? "NaN" : hidden ? (name === "scores" ? "−∞" : "0") : this.#number(name, i, j, cellNum)
      made.x.push(j + 0.5)
      made.y.push(T - i - 0.5)
      made.shade.push(shadeOf[name](level))
      made.text.push(text)
      made.size.push(text === "−∞" ? "15px" : text.length >= 7 || text.includes("e") ? "10.5px" : "11.75px")
      if (hidden) for (const axis of ["x", "y"]) hatched[level === EMPTY ? "crosses" : "lines"][axis].push(made[axis].at(-1))
    }
    if (made.x.length || source.get_length()) put(source, made)
    for (const [kind, cells] of Object.entries(hatched)) {
      const hatch = this.#model(`.${name} ${kind}`)
      if (cells.x.length || hatch.get_length()) put(hatch, cells)
    }
  }

  // As text, or nothing while it is on its way.
  #number(name, i, j, form = num) {
    const {at, own, tokens} = this.#data
    if (this.#field) return form(this.#field[name][i * tokens.length + j])
    return i === own.row - 1 ? form(at[name][j] ?? NaN) : ""
  }

  #pieces(i, j) {
    const {own, tokens} = this.#data, reader = own.named ? tokens[i] : `query ${i + 1}`
    const hidden = this.#levels.scores[i * tokens.length + j] === HIDDEN
    const read = !own.named ? `key ${j + 1}` : i === j ? "itself" : tokens[i] === tokens[j] ? `the other ${tokens[j]}` : tokens[j]
    const score = this.#number("scores", i, j), weight = this.#number("weights", i, j)
    const empty = this.#levels.weights[i * tokens.length + j] === EMPTY
    return [`row ${i + 1}, column ${j + 1}`, `${reader} ${hidden ? "may not read" : "reads"} from ${read}`,
      `score ${score}${hidden ? ", masked to −∞" : ""}`, `weight ${empty ? "NaN" : hidden ? "exactly 0" : weight}`]
  }

  #show() {
    if (!this.open) return
    const T = this.#data.tokens.length, {row, column, size} = this.#window
    // A cell under the mouse whose numbers are on their way gives its place to the picked one.
    const known = this.#hover && (this.#field || this.#hover[0] === this.#data.own.row - 1)
    const [i, j] = known ? this.#hover : [this.#row, this.#column], own = [this.#row, this.#column]
    const line = this.#pieces(i, j)
    this.line.replaceChildren(...line.flatMap(text => [Object.assign(document.createElement("span"), {textContent: text}), " "]))
    const share = value => `${100 * value / size}%`
    for (const {frame, cell, at, drag} of this.maps) {
      Object.assign(frame.style, {top: share(own[0] - row), height: share(1)})
      Object.assign(cell.style, {left: share(own[1] - column), width: share(1)})
      Object.assign(at.style, {left: share(j - column), top: share(i - row), width: share(1), height: share(1)})
      at.hidden = !this.#hover
      drag.hidden = true
      frame.setAttribute("aria-rowindex", own[0] + 1)
      cell.setAttribute("aria-colindex", own[1] + 1)
      cell.setAttribute("aria-label", this.#pieces(...own).join(", "))
    }
    for (const button of this.tools.querySelectorAll("[data-zoom]"))
      button.disabled = button.dataset.zoom === "in" ? size <= Math.min(READABLE, T) : size === T
    const shown = size === T ? `All ${T} rows` : `Rows ${row + 1}–${row + size}, columns ${column + 1}–${column + size}`
    this.range.textContent = `${shown}. The blue of weights goes by their square root, so that small ones show.`
  }

  // Grids of the sentence or maps, and names along the edges.
  #frame() {
    const T = this.#data?.tokens.length
    for (const {heat, map, grid} of this.maps) {
      heat.classList.toggle("heat-map", this.open)
      heat.querySelector(".cells").hidden = this.open
      map.hidden = !this.open
      grid.setAttribute("aria-rowcount", T ?? 0)
      grid.setAttribute("aria-colcount", T ?? 0)
    }
    this.tools.hidden = !this.open
    if (this.open) this.#names()
  }

  #names() {
    const {row, column, size} = this.#window, {tokens} = this.#data
    const few = size <= READABLE ? Array.from({length: size}, (_, n) => n) : [0, 0.25, 0.5, 0.75, 1].map(n => Math.round(n * (size - 1)))
    for (const {over, beside} of this.maps) for (const [el, from, edge] of [[over, column, "left"], [beside, row, "top"]]) {
      el.replaceChildren(...few.map(n => {
        const name = Object.assign(document.createElement("span"), {textContent: size <= READABLE ? tokens[from + n] : from + n + 1})
        name.style[edge] = `${100 * (n + 0.5) / size}%`
        return name
      }))
      el.style.setProperty("--shown", few.length)
    }
  }

  #zoom(way, at = [this.#row, this.#column]) {
    const T = this.#data.tokens.length, {size} = this.#window
    const next = way === "in" ? Math.max(Math.min(READABLE, T), Math.ceil(size / 2)) : way === "out" ? Math.min(T, size * 2) : T
    this.#aim(at[0] - next / 2, at[1] - next / 2, next)
  }

  #aim(row, column, size) {
    const T = this.#data.tokens.length
    this.#window = {row: clamp(Math.round(row), 0, T - size), column: clamp(Math.round(column), 0, T - size), size}
    this.#names()
    this.draw()
    if (!this.#field) this.ask()
  }

  // Keep a cell in the window.
  #follow(i, j) {
    const {row, column, size} = this.#window
    const inside = (at, from) => clamp(from, at - size + 1, at)
    if (inside(i, row) !== row || inside(j, column) !== column) this.#aim(inside(i, row), inside(j, column), size)
  }

  #go(i, j) {
    const last = this.#data.tokens.length - 1, before = this.#row
    this.#row = clamp(i, 0, last)
    this.#column = clamp(j, 0, last)
    this.#hover = null
    this.#follow(this.#row, this.#column)
    this.#show()
    if (this.#row !== before) this.pick(this.#row)
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const last = this.#data.tokens.length - 1, [i, j] = [this.#row, this.#column]
    const zoom = {"+": "in", "=": "in", "-": "out", 0: "all"}[event.key]
    const to = {
      ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1], ArrowUp: [i - 1, j], ArrowDown: [i + 1, j],
      Home: [i, 0], End: [i, last], PageUp: [0, j], PageDown: [last, j],
    }[event.key]
    if (!zoom && !to) return
    event.preventDefault()
    if (zoom) return this.#zoom(zoom)
    this.#go(...to)
    clearTimeout(this.#spoken)
    this.#spoken = setTimeout(() => { if (this.open) this.announce.textContent = this.#pieces(this.#row, this.#column).join(", ") }, 300)
  }
  #spoken = 0

  #build(heat) {
    const name = heat.querySelector("[data-grid]").dataset.grid, make = (tag, settings) => Object.assign(document.createElement(tag), settings)
    const map = make("div", {className: "map", hidden: true}), grid = make("div", {className: "map-grid"})
    const over = make("div", {className: "map-over"}), beside = make("div", {className: "map-beside"})
    const frame = make("div", {className: "map-row"}), cell = make("span", {className: "map-cell", tabIndex: 0})
    const at = make("span", {className: "map-at", hidden: true}), drag = make("span", {className: "map-drag", hidden: true})
    grid.setAttribute("role", "grid")
    grid.setAttribute("aria-label", `${heat.querySelector("[data-grid]").ariaLabel}; arrow keys move, plus and minus zoom`)
    frame.setAttribute("role", "row")
    cell.setAttribute("role", "gridcell")
    for (const el of [over, beside, at, drag]) el.setAttribute("aria-hidden", "true")
    frame.append(cell)
    grid.append(frame, at, drag)
    const corner = heat.querySelector(".corner").cloneNode(true)  // which edge has the keys
    corner.removeAttribute("role")
    corner.setAttribute("aria-hidden", "true")
    map.append(corner, over, beside, grid)
    heat.append(map)
    cell.addEventListener("keydown", event => this.#key(event))
    this.#mouse(grid, drag, cell)
    return {name, heat, map, grid, over, beside, frame, cell, at, drag}
  }

  // Hover reads, a click or tap picks, a drag of the mouse marks a square to look at.
  #mouse(grid, drag, cell) {
    let start = null, square = null
    const place = event => {
      const box = grid.getBoundingClientRect(), {row, column, size} = this.#window
      const along = (at, length) => clamp(Math.floor(at / length * size), 0, size - 1)
      return [row + along(event.clientY - box.top, box.height), column + along(event.clientX - box.left, box.width)]
    }
    grid.addEventListener("pointerdown", event => {
      if (event.pointerType !== "mouse" || event.button) return
      start = {x: event.clientX, y: event.clientY, at: place(event)}
      square = null
      grid.setPointerCapture(event.pointerId)
    })
    grid.addEventListener("pointermove", event => {
      if (event.pointerType !== "mouse") return
      if (start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > DRAGGED) {
        square = around(start.at, place(event))
        this.#mark(drag, square)
        return
      }
      this.#hover = place(event)
      this.#show()
    })
    grid.addEventListener("pointerup", () => {
      if (square) this.#aim(square.row, square.column, clamp(square.size, Math.min(READABLE, this.#data.tokens.length), this.#data.tokens.length))
      start = null
    })
    grid.addEventListener("pointercancel", () => { start = square = null })
    grid.addEventListener("pointerleave", () => {
      this.#hover = null
      this.#show()
    })
    grid.addEventListener("click", event => {
      if (!square) {
        this.#go(...place(event))
        cell.focus({preventScroll: true})
      }
      square = null
    })
  }

  #mark(drag, square) {
    const {row, column, size} = this.#window, share = value => `${100 * value / size}%`
    Object.assign(drag.style, {left: share(square.column - column), top: share(square.row - row), width: share(square.size), height: share(square.size)})
    drag.hidden = false
  }
}

// The smallest square over two cells.
function around([i, j], [k, l]) {
  const size = Math.max(Math.abs(i - k), Math.abs(j - l)) + 1
  return {row: k < i ? i - size + 1 : i, column: l < j ? j - size + 1 : j, size}
}

// Only in this browser: the server need not hear of it.
const put = (source, data) => source.setv({data}, {sync: false})

function bytes(text) {
  const raw = atob(text), held = new Uint8Array(raw.length)
  for (let n = 0; n < raw.length; n++) held[n] = raw.charCodeAt(n)
  return held
}

const widest = weights => weights.reduce((best, weight, n) => weight > weights[best] ? n : best, 0)

// A number that fits in a cell, as figures/heat.py writes it.
const cellNum = value => num(value).includes("e") ? num(+value.toPrecision(1)).replace(".0e", "e") : num(value)
