// The review: one card at a time, think, look, grade. What is shown follows from the deck; show() is the only way to it.
import {ask, Refused} from "./ask.js"
import {ahead} from "./ahead.js"
import {inWords, when} from "./dates.js"
import {Deck} from "./deck.js"
import {GRADES, question, same} from "./entry.js"
import {tools} from "./tools.js"

const TICK = 15e3, STALE = 60e3  // ms
const part = name => document.querySelector(`[data-${name}]`)
const deck = new Deck(), faces = new Map()
for (const face of document.querySelectorAll("template[data-id]")) faces.set(face.dataset.id, face.content)
const known = [...faces.keys()]
const names = {again: "Again", hard: "Hard", good: "Good", easy: "Easy"}
const answer = part("answer"), undoButton = part("undo")

let current = null   // {id, entry, open, at, plan}: the card on the table, and what each grade would make of it
let anyway = []      // cards that are looked at before they are due
let grading = false

const cardName = id => id.replace("-", " ")
const moved = id => `${title(id)} was changed in another tab.`
const title = id => cardName(id).replace("c", "C")
const plural = (n, one, many) => n === 1 ? `1 ${one}` : `${n} ${many}`

function say(text) {
  part("said").textContent = text
  undoButton.hidden = !deck.last
}

function put(id) {
  current = {id, entry: deck.cards[id], open: false}
  const [q, a] = faces.get(id).cloneNode(true).children
  part("question").replaceChildren(q)
  answer.querySelector(".ans").replaceChildren(a)
}

function show() {
  const now = new Date(), cards = deck.cards, mine = known.filter(id => cards[id]), due = deck.due(known, now)
  if (current && !same(cards[current.id], current.entry)) {  // not by us: we put the card away first
    say(moved(current.id))
    current = null
  }
  const soonest = deck.soonest(known)
  anyway = anyway.filter(id => soonest.includes(id) && !due.includes(id))
  const next = due[0] ?? anyway[0]
  if (!current && next) put(next)

  part("card").hidden = !current
  part("empty").hidden = mine.length > 0
  part("rest").hidden = Boolean(current) || !mine.length
  part("count").textContent = !mine.length ? "No cards yet."
    : due.length ? `${due.length} of ${plural(mine.length, "card", "cards")} ${due.length === 1 ? "is" : "are"} due.`
    : "Nothing is due."
  if (current) showCard(due)
  else if (mine.length) showRest(now, soonest, cards)
  const waiting = deck.waiting().length
  part("waiting").hidden = !waiting
  part("waiting").textContent = waiting
    ? `No answer comes. ${plural(waiting, "grade is", "grades are")} kept here and will get ${waiting === 1 ? "its date" : "their dates"} when one does.` : ""
  undoButton.hidden = !deck.last
  for (const name of ["export", "reset"]) part(name).disabled = !mine.length
  ahead(part("ahead"), known.filter(id => cards[id]).map(id => ({id, entry: cards[id], face: faces.get(id)})), now)
}

function showCard(due) {
  const others = due.filter(id => id !== current.id).length
  part("which").textContent = title(current.id) + (others ? `, ${others} more due` : "")
  part("reveal").hidden = current.open
  answer.hidden = !current.open
}

function showRest(now, soonest, cards) {
  const first = soonest[0] && new Date(cards[soonest[0]].due)
  part("next").textContent = first ? `The next card comes back ${inWords(now, first)}: ${when(now, first)}.`
    : "Your cards wait for their dates."
  part("anyway").hidden = !first
}

// What each grade would make of the open card. The time of the review is the time when it was opened, or a minute ago at most.
function plan() {
  const asked = current, now = new Date()
  asked.at = now
  asked.plan = ask({cards: {[asked.id]: question(asked.entry, now)}}).then(found => found.cards[asked.id])
    .catch(error => {
      if (error instanceof Refused) say(`This card cannot be dated. ${error.message}`)
      return null
    })
  asked.plan.then(outcomes => {
    if (current !== asked || asked.at !== now) return
    for (const name of GRADES)
      answer.querySelector(`[data-grade=${name}] small`).textContent = outcomes ? inWords(now, new Date(outcomes[name].due)) : "date follows"
  })
}

function reveal() {
  current.open = true
  for (const small of answer.querySelectorAll("small")) small.textContent = "\u00a0"
  plan()
  show()
  answer.querySelector(".ans").focus()
}

async function grade(name) {
  if (!current?.open || grading) return
  const {id, entry, plan, at} = current
  grading = true
  const outcome = (await plan)?.[name] ?? {...entry, pending: {grade: name, at: new Date().toISOString()}}
  grading = false
  if (current?.id !== id || !same(current.entry, entry)) return
  current = null
  anyway = anyway.filter(other => other !== id)
  const touched = await deck.grade(id, entry, outcome, `${names[name]} for ${cardName(id)}`)
  say(!touched.length ? moved(id)
    : outcome.pending ? `${names[name]} is noted for ${cardName(id)}.`
    : `${names[name]}: ${cardName(id)} comes back ${inWords(at, new Date(outcome.due))}.`)
  show()
  look()
  if (outcome.pending) settle()
}

async function undo() {
  const {words, ids, left} = await deck.undo()
  const [id] = ids
  if (ids.length === 1 && deck.soonest(known).includes(id)) put(id)
  show()
  say(left ? `Taken back: ${words}, except for ${plural(left, "card", "cards")} changed in another tab.` : `Taken back: ${words}.`)
  look()
}

// The reader's place: the next question, or the words that stand where a card would be.
function look() { document.querySelector(".turn:not([hidden]) .ask").focus() }

async function settle() {
  try { await deck.settle() } catch { /* they go on waiting; the line says so */ }
}

function tick() {
  if (current?.open && !grading && new Date() - current.at > STALE) plan()
  show()
  settle()
}

part("reveal").addEventListener("click", reveal)
for (const button of answer.querySelectorAll("[data-grade]")) button.addEventListener("click", () => grade(button.dataset.grade))
undoButton.addEventListener("click", undo)
part("anyway").addEventListener("click", () => {
  anyway = deck.soonest(known)
  show()
  look()
})
part("all").addEventListener("click", async () => {
  await deck.add(known)
  say(`${known.length} cards are in your deck.`)
  show()
  look()
})
tools({deck, known, say, show, look})

addEventListener("keydown", event => {
  const {key, target} = event
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || target.closest("input, dialog")) return
  if ((key === " " || key === "Enter") && current && !current.open && !target.closest("a, button")) reveal()
  else if (/^[1-4]$/.test(key) && current?.open) grade(GRADES[key - 1])
  else if (key.toLowerCase() === "u" && deck.last) undo()
  else return
  event.preventDefault()
})

deck.onChange(show)
for (const name of ["online", "focus"]) addEventListener(name, tick)
setInterval(tick, TICK)
tick()
