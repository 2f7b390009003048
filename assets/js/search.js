// Search in the lesson. The index came with the page (lesson/search.py), so no connection is needed.
import {isTyping, make} from "./study.js"

const dialog = document.getElementById("search"), field = dialog.querySelector("input")
const list = dialog.querySelector("[role=listbox]"), found = dialog.querySelector("[role=status]")
const MOST = 20, PLACES = new Set(["Section", "Heading", "Figure", "Definition", "Theorem"])  // before questions about them
const flat = text => text.toLowerCase().replaceAll("√", "sqrt")
const index = JSON.parse(document.getElementById("search-index").textContent).map(([kind, title, text, anchor]) =>
  ({kind, title, text, anchor, inTitle: flat(title), inText: flat(text)}))

const starts = (text, term) => text.startsWith(term) || /[^a-z0-9]/.test(text[text.indexOf(term) - 1] ?? "")
// How well an entry fits a word: its title counts more than its text, the beginning of a word more than its middle.
function fit(entry, term) {
  if (entry.inTitle.includes(term)) return starts(entry.inTitle, term) ? 8 : 5
  if (entry.inText.includes(term)) return starts(entry.inText, term) ? 2 : 1
  return 0
}
export function matches(query) {
  const terms = flat(query).split(/\s+/).filter(Boolean)
  if (terms.join("").length < 2) return null
  const scored = index.map(entry => ({entry, fits: terms.map(term => fit(entry, term))}))
  return scored.filter(({fits}) => fits.every(Boolean))
    .map(({entry, fits}) => ({entry, terms, score: fits.reduce((a, b) => a + b) + (PLACES.has(entry.kind) ? 1 : 0)})).sort((a, b) => b.score - a.score)
}

// The text as nodes, the words that were looked for marked.
function marked(text, terms) {
  const nodes = [], low = flat(text)
  let at = 0
  while (at < text.length) {
    const next = terms.map(term => [low.indexOf(term, at), term]).filter(([i]) => i >= 0)
      .sort(([a, s], [b, t]) => a - b || t.length - s.length)[0]
    if (!next) break
    nodes.push(text.slice(at, next[0]), make("mark", {textContent: text.slice(next[0], next[0] + next[1].length)}))
    at = next[0] + next[1].length
  }
  return [...nodes, text.slice(at)]
}
function excerpt({inText, text}, terms) {
  const first = Math.min(...terms.map(term => inText.indexOf(term)).filter(i => i >= 0))
  if (first === Infinity) return text.length > 130 ? text.slice(0, text.lastIndexOf(" ", 130)) + " …" : text
  const from = first < 50 ? 0 : text.indexOf(" ", first - 40) + 1, to = from + 130
  return (from ? "… " : "") + text.slice(from, to < text.length ? Math.max(text.lastIndexOf(" ", to), first + 30) : undefined) + (to < text.length ? " …" : "")
}

let results = [], at = 0
function pick(n) {
  at = n
  for (const [i, option] of [...list.children].entries()) option.setAttribute("aria-selected", i === n)
  const option = list.children[n]
  if (option) field.setAttribute("aria-activedescendant", option.id)
  else field.removeAttribute("aria-activedescendant")
  option?.scrollIntoView({block: "nearest"})
}
function look() {
  const all = matches(field.value)
  results = (all ?? []).slice(0, MOST)
  list.replaceChildren(...results.map(({entry, terms}, i) => {
    const option = make("li", {id: `result-${i}`, className: "result"},
      make("span", {className: "result-kind", textContent: entry.kind}), " ",
      make("span", {className: "result-title"}, ...marked(entry.title, terms)), " ",
      make("span", {className: "result-text"}, ...marked(excerpt(entry, terms), terms)))
    option.setAttribute("role", "option")
    option.addEventListener("click", () => go(entry.anchor))
    return option
  }))
  field.setAttribute("aria-expanded", results.length > 0)
  found.textContent = all === null ? "Type at least two letters. Symbols work, too: sqrt, d_k, NaN." :
    all.length === 0 ? "Nothing found. Try a shorter word." :
    all.length === 1 ? "1 result" : `${all.length} results${all.length > MOST ? `, the best ${MOST} are shown` : ""}`
  pick(0)
}

let opener = null
function open() {
  if (dialog.open || document.querySelector("dialog[open]")) return
  opener = document.activeElement
  dialog.showModal()
  field.select()
  look()
}
// To the place itself: folds open round it, and the focus goes along.
function go(anchor) {
  opener = null
  dialog.close()
  const target = document.getElementById(anchor)
  for (let el = target; el; el = el.parentElement) if (el.matches("details")) el.open = true
  if (location.hash !== `#${anchor}`) history.pushState(null, "", `#${anchor}`)
  const stop = target.matches("details") ? target.querySelector("summary") : target
  if (stop.tabIndex < 0) stop.tabIndex = -1
  target.scrollIntoView()
  stop.focus({preventScroll: true})
}

field.addEventListener("input", look)
field.addEventListener("keydown", event => {
  if (event.isComposing) return
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
  if (step && results.length) pick((at + step + results.length) % results.length)
  else if (event.key === "Enter") { if (results[at]) go(results[at].entry.anchor) }
  else return
  event.preventDefault()
})
dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close())
dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close() })
dialog.addEventListener("close", () => opener?.focus({preventScroll: true}))

const button = document.querySelector("[data-search]")
button.hidden = false
button.addEventListener("click", open)
addEventListener("keydown", event => {
  const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)
  if (!slash && !(event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey)) return
  event.preventDefault()
  open()
})
