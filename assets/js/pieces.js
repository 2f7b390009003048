// The cells of figure 5. Python gives each number a new place (figures/pieces.py), the style sheet lets it travel there.
// Here one number is followed: the one under the mouse, or else the one that was focused or tapped last. It is marked in
// the picture, in memory and in the small picture of every step, and a line says where it sits.
export class Pieces {
  #kept = -1   // number that was focused or tapped last
  #hover = -1  // number under the mouse
  #step = "0"
  #marked = []
  #trail = ""  // the text of #data, to read it again only when it is another
  #data = null

  // onStep(step) is told when the reader presses the small picture of a step.
  constructor(el, onStep) {
    this.el = el
    this.stage = el.querySelector("[data-part=stage]")
    this.stage.addEventListener("pointerover", event => {
      if (event.pointerType === "mouse") this.#point(this.#number(event.target))
    })
    this.stage.addEventListener("pointerleave", () => this.#point(-1))
    this.stage.addEventListener("click", event => this.#keep(this.#number(event.target)))
    this.stage.addEventListener("focusin", event => this.#keep(this.#number(event.target)))
    this.stage.addEventListener("keydown", event => this.#key(event))
    el.querySelector("[data-part=steps]").addEventListener("click", event => {
      const stop = event.target.closest("[data-step]")
      if (stop) onStep(stop.dataset.step)
    })
    this.fill()
  }

  get #cells() { return this.stage.querySelectorAll(".piece") }

  #number(target) { return [...this.#cells].indexOf(target.closest(".piece")) }

  step(step) {
    this.#step = step
    for (const stop of this.el.querySelectorAll("[data-step]"))
      stop.setAttribute("aria-pressed", stop.dataset.step === step)
  }

  // News from Python: nodes stay, but what was marked here is to be marked again.
  fill() {
    const {trail} = this.el.querySelector("[data-trail]").dataset
    if (trail !== this.#trail) {
      const before = this.#data
      this.#trail = trail
      this.#data = JSON.parse(trail)
      if (!this.#data.lines[this.#kept] || before?.lines.length !== this.#data.lines.length) this.#kept = this.#data.start
      if (!this.#data.lines[this.#hover]) this.#hover = -1
    }
    for (const input of this.el.querySelectorAll("input[data-knob=H]"))
      input.disabled = !this.#data.divisors.includes(+input.value)
    this.step(this.#step)
    this.#show()
  }

  #point(number) {
    if (number === this.#hover) return
    this.#hover = number
    this.#show()
  }

  #keep(number) {
    if (number < 0) return
    this.#kept = number
    this.#show()
  }

  // Arrow keys go to the nearest cell in that direction, as the cells lie now.
  #key(event) {
    const from = this.#number(event.target)
    if (from < 0 || event.ctrlKey || event.altKey || event.metaKey) return
    const cells = [...this.#cells], places = cells.map(cell => ["--x", "--y"].map(name => +cell.style.getPropertyValue(name)))
    const [x, y] = places[from]
    const ahead = {
      ArrowLeft: ([cx, cy]) => [x - cx, Math.abs(y - cy)], ArrowRight: ([cx, cy]) => [cx - x, Math.abs(y - cy)],
      ArrowUp: ([cx, cy]) => [y - cy, Math.abs(x - cx)], ArrowDown: ([cx, cy]) => [cy - y, Math.abs(x - cx)],
    }[event.key]
    const row = cells.map((_, n) => n).filter(n => places[n][1] === y).sort((a, b) => places[a][0] - places[b][0])
    let to = {Home: row[0], End: row.at(-1), Enter: from, " ": from}[event.key]
    if (ahead) {
      const [best] = places.map((at, n) => [n, ...ahead(at)]).filter(([, along]) => along > 0.01)
        .sort((a, b) => (a[1] + 3 * a[2]) - (b[1] + 3 * b[2]))
      to = best?.[0] ?? from
    }
    if (to === undefined) return
    event.preventDefault()
    this.#hover = -1
    cells[to].focus()
    this.#keep(to)
  }

  #show() {
    const at = this.#hover < 0 ? this.#kept : this.#hover, cells = this.#cells
    for (const el of this.#marked) el.classList.remove("at")
    for (const cell of this.stage.querySelectorAll("[aria-selected=true]")) cell.ariaSelected = "false"
    for (const cell of this.stage.querySelectorAll("[tabindex='0']")) cell.tabIndex = -1
    cells[at].ariaSelected = "true"
    cells[this.#kept].tabIndex = 0
    this.#marked = [cells[at], this.el.querySelectorAll(".tile")[at]]
    for (const el of this.#marked) el.classList.add("at")
    const route = this.#data.route[at].split(" ")
    this.el.querySelectorAll(".here").forEach((mark, step) => {
      mark.setAttribute("x", route[2 * step])
      mark.setAttribute("y", route[2 * step + 1])
    })
    const spans = this.#data.lines[at].map(piece => Object.assign(document.createElement("span"), {textContent: piece}))
    this.el.querySelector("[data-trail]").replaceChildren(...spans.flatMap(span => [span, " "]))
  }
}
