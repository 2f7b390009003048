import {MINUS} from "./text.js"

// The cells of a figure's heatmaps as grids of HTML over the canvas: names, focus, keys, and the line that says what a
// cell holds. All grids of a figure show the same rows and columns, so they have one cell "at hand" in common: the one
// under the mouse, or else the one that was focused or tapped last. Its row is the picked row.
export class Cells {
  #hover = null  // [row, column] under the mouse
  #column = 0
  #row = 0
  #later = 0
  off = false  // something else stands in the place of the cells

  // onPick(row) is told of rows that the reader picks.
  constructor(el, onPick) {
    this.line = el.querySelector("[data-cell-line]")
    this.tokens = [...el.querySelectorAll("[data-token]")]
    this.heats = [...el.querySelectorAll(".heat")]
    this.onPick = onPick
    this.grids = [...el.querySelectorAll("[data-grid]")].map(grid => ({
      grid, sums: [...grid.querySelectorAll("[data-sum]")],
      rows: [...grid.querySelectorAll("[data-row]")].map(row => ({row, cells: [...row.querySelectorAll("[data-column]")]})),
    }))
    this.data = JSON.parse(el.querySelector("[data-part=cells]").textContent)
    this.#row = this.grids[0].rows.findIndex(({row}) => row.classList.contains("picked"))
    this.#column = this.#widest()
    for (const grid of this.grids) this.#listen(grid)
    this.#show()
  }

  // News from Python. Nodes stay, so that the focus stays.
  fill(data) {
    const moved = data.tokens.some((token, i) => token !== this.data.tokens[i])
    this.data = data
    if (moved) for (const el of this.tokens) el.textContent = data.tokens[el.dataset.token]
    for (const {grid, sums} of this.grids) {
      for (const el of sums) {
        const sum = data.sums[grid.dataset.grid][el.dataset.sum]
        if (el.textContent !== sum) el.textContent = sum
        el.classList.toggle("broken", !!data.marks?.[grid.dataset.grid][el.dataset.sum])
      }
    }
    this.#show()
    clearTimeout(this.#later)
    this.#later = setTimeout(() => this.#name(), 150)  // names of 72 cells are more than a drag should carry along
  }

  #name() {
    for (const {rows} of this.grids)
      rows.forEach(({cells}, i) => cells.forEach((cell, j) => cell.setAttribute("aria-label", plainLine(this.data.lines[i][j]))))
  }

  pick(row) {
    this.#row = row
    this.#show()
  }

  // The column that a reader meets first: that of the largest weight in the picked row.
  #widest() {
    const weights = this.data.lines[this.#row].map(line => parseFloat(line.at(-1).replace("weight ", "").replace(MINUS, "-")) || 0)
    return weights.indexOf(Math.max(...weights))
  }

  #listen({rows}) {
    rows.forEach(({row, cells}, i) => {
      row.querySelector("[role=rowheader]").addEventListener("click", () => this.#go(i, this.#column))
      cells.forEach((cell, j) => {
        cell.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") this.#point([i, j]) })
        cell.addEventListener("pointerleave", () => this.#point(null))
        cell.addEventListener("click", () => this.#go(i, j))
        cell.addEventListener("keydown", event => this.#key(event, rows, i, j))
      })
    })
  }

  #key(event, rows, i, j) {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    const last = rows.length - 1
    const to = {
      ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1], ArrowUp: [i - 1, j], ArrowDown: [i + 1, j],
      Home: [i, 0], End: [i, last], PageUp: [0, j], PageDown: [last, j], Enter: [i, j], " ": [i, j],
    }[event.key]
    if (!to) return
    event.preventDefault()
    const [row, column] = to.map(place => Math.min(last, Math.max(0, place)))
    this.#hover = null
    this.#go(row, column)
    rows[row].cells[column].focus()
  }

  #go(row, column) {
    const news = row !== this.#row
    this.#row = row
    this.#column = column
    this.#show()
    if (news) this.onPick(row)
  }

  #point(at) {
    this.#hover = at
    this.#show()
  }

  #show() {
    const [row, column] = this.#hover ?? [this.#row, this.#column]
    for (const heat of this.heats) heat.style.setProperty("--row", this.#row + 1)
    for (const {rows} of this.grids) rows.forEach(({row: el, cells}, i) => {
      el.classList.toggle("picked", i === this.#row)
      cells.forEach((cell, j) => {
        cell.tabIndex = i === this.#row && j === this.#column ? 0 : -1
        cell.classList.toggle("at", i === row && j === column)
      })
    })
    if (this.off) return
    this.line.innerHTML = this.data.lines[row][column].map(piece => `<span>${piece.replaceAll(LETTER, "<i>$1</i><sub>$2</sub>")}</span>`).join(" ")
  }
}

const LETTER = /\b([a-z])_(\d+)/g

const plainLine = pieces => pieces.join(", ").replaceAll("_", " ")
