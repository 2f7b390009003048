// Goals of a figure: Python says how near a state comes, this page keeps the best attempt of each in the browser, with
// the state that made it. A drag counts all the way; it is written down, and told, once the figure rests.
import {linkOf} from "./address.js"
import {Shelf} from "./store.js"

const shelf = new Shelf("goals", {empty: {}, mend})  // figure → goal → {value, score, reached, query}

const isRecord = thing => typeof thing === "object" && thing !== null && !Array.isArray(thing)
const isAttempt = thing => isRecord(thing) && Number.isFinite(thing.value) && typeof thing.reached === "boolean"
  && typeof thing.score === "string" && typeof thing.query === "string"
const only = (record, fits) => Object.fromEntries(Object.entries(record).filter(([, thing]) => fits(thing)))

// One entry that makes no sense must not cost the others.
function mend(data) {
  if (!isRecord(data)) return undefined
  return Object.fromEntries(Object.entries(only(data, isRecord)).map(([slug, goals]) => [slug, only(goals, isAttempt)]))
}

export class Goals {
  #kept = {}    // goal → best attempt, as the shelf has it
  #fresh = {}   // better ones since the figure rested last
  #seen = null  // the state that was counted last: the one in which a page opens is nobody's attempt

  constructor(el) {
    this.el = el
    this.slug = el.dataset.figure
    this.rows = new Map([...el.querySelectorAll("[data-goal]")].map(row => [row.dataset.goal, row]))
    if (!this.rows.size) return
    shelf.onChange(all => this.#keep(all))
    this.#keep(shelf.read())
  }

  // An answer of Python: the score of each goal in this state.
  take(goals, query) {
    const isAttempt = this.#seen !== null && this.#seen !== query
    this.#seen = query
    for (const {name, value, score, reached} of goals) {
      const row = this.rows.get(name), now = row.querySelector("[data-now]")
      if (now.textContent !== score) now.textContent = score
      row.classList.toggle("no-score", value === null)
      const attempt = {value, score, reached, query}
      if (!isAttempt || value === null || !beats(row, attempt, this.#best(name))) continue
      this.#fresh[name] = attempt
      this.#show()
    }
  }

  // The figure rests: what was tried is kept. Gives the news for the reader, if any.
  rest() {
    const fresh = this.#fresh, names = Object.keys(fresh)
    if (!names.length) return ""
    const news = names.filter(name => fresh[name].reached && !this.#kept[name]?.reached)
    this.#fresh = {}
    this.#kept = {...this.#kept, ...fresh}
    shelf.change(all => {
      const mine = all[this.slug] ??= {}
      for (const name of names) if (beats(this.rows.get(name), fresh[name], mine[name])) mine[name] = fresh[name]
    })
    return news.length ? `Goal reached: ${news.join(", ")}.` : ""
  }

  toggle(button) {
    const list = this.el.querySelector(".goal-list")
    list.hidden = !list.hidden
    button.setAttribute("aria-expanded", !list.hidden)
  }

  forget() {
    this.#fresh = {}
    shelf.change(all => { delete all[this.slug] })
    return "Attempts forgotten."
  }

  #best(name) { return this.#fresh[name] ?? this.#kept[name] }

  #keep(all) {
    this.#kept = all[this.slug] ?? {}
    this.#show()
  }

  #show() {
    const pips = this.el.querySelectorAll(".pips .pip"), names = [...this.rows.keys()]
    for (const [name, row] of this.rows) {
      const best = this.#best(name), reached = best?.reached ?? false
      row.classList.toggle("reached", reached)
      row.querySelector("[data-state]").textContent = reached ? "reached" : "not reached yet"
      row.querySelector("[data-best]").textContent = best?.score ?? "–"
      pips[names.indexOf(name)].classList.toggle("reached", reached)
      this.#aim(row.querySelector("[data-again]"), best)
    }
    const count = names.filter(name => this.#best(name)?.reached).length
    this.el.querySelector("[data-goals-count]").textContent = `${count} of ${names.length} goals`
  }

  // A link to the state of an attempt, as any link that sets a figure.
  #aim(link, attempt) {
    link.style.visibility = attempt ? "" : "hidden"  // its place is kept
    if (!attempt) return
    link.dataset.query = attempt.query
    link.href = linkOf(this.slug, attempt.query)
  }
}

function beats(row, attempt, other) {
  if (!other) return true
  return row.dataset.better === "less" ? attempt.value < other.value : attempt.value > other.value
}
