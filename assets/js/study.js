// What the reader has done in this lesson, kept in the browser, and what the parts of the page need to show it.
import {Shelf} from "./store.js"

// The choices of each question, by the name of their radio group.
const choices = {}
for (const input of document.querySelectorAll(".turn input[type=radio]")) (choices[input.name] ??= new Set()).add(input.value)
const offers = (group, value) => choices[group]?.has(value) ?? false

const keepIf = (entries, fine) => {
  for (const [key, value] of Object.entries(entries)) if (!fine(key, value)) delete entries[key]
}
const isTable = value => typeof value === "object" && value !== null && !Array.isArray(value)

// Entry by entry: a choice that the lesson no longer offers is forgotten, all others stay.
function mend(data) {
  if (!isTable(data)) return undefined
  for (const part of ["predictions", "checks", "selves"]) if (!isTable(data[part])) data[part] = {}
  const {predictions, checks, selves} = data
  keepIf(predictions, (n, p) => isTable(p) && `prediction-${n}` in choices && (p.skipped === true ||
    offers(`prediction-${n}`, p.choice) && offers(`prediction-${n}-sure`, p.sure) && typeof p.words === "string"))
  keepIf(checks, (n, tried) => Array.isArray(tried))
  for (const n in checks) checks[n] = checks[n].filter(choice => offers(`check-${n}`, choice))
  keepIf(checks, (n, tried) => tried.length > 0)
  keepIf(selves, (n, rate) => rate === "had" || rate === "not")
  data.read = Array.isArray(data.read) ? data.read.filter(id => typeof id === "string" && document.getElementById(id)) : []
  if (typeof data.place !== "string" || !document.getElementById(data.place)) data.place = ""
  return data
}

// predictions: number → {choice, sure, words, shown} or {skipped}; checks: number → choices in the order of trying;
// selves: number → "had" or "not"; read: ids of section headings; place: id of the heading that was passed last.
export const study = new Shelf("study", {empty: {predictions: {}, checks: {}, selves: {}, read: [], place: ""}, mend})

// Calls show(data) now and after every change.
export function follow(show) {
  study.onChange(show)
  show(study.read())
}

// What only works with scripts is hidden until now.
export function wake(root) {
  for (const el of root.querySelectorAll("[data-wake]")) { el.hidden = false; el.disabled = false }
}

export const make = (tag, values = {}, ...children) => {
  const el = Object.assign(document.createElement(tag), values)
  el.append(...children)
  return el
}

export const chosen = (form, name) => form.querySelector(`input[name="${name}"]:checked`)?.value

// The words of a choice, formulas and all.
export const wordsOf = (group, value) =>
  [...document.querySelector(`input[name="${group}"][value="${value}"] + span`).cloneNode(true).childNodes]

// Keys that are letters belong to whoever is typing.
export const isTyping = target => target.closest?.("input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]")
