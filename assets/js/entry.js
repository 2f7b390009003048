// One card of the deck, as FSRS knows it (lesson/deck.py), with the grade that still waits for its dates, if there is one.
export const GRADES = ["again", "hard", "good", "easy"]
export const FILE = "attention-lab-deck"

// What follows is what Python accepts, too.
export function entryOf(raw) {
  const need = (right, words) => { if (!right) throw new Error(words) }
  const within = (value, low, high) => typeof value === "number" && value >= low && value <= high
  const time = (value, name) => {
    const ms = typeof value === "string" ? Date.parse(value) : NaN
    need(ms >= Date.UTC(2000, 0) && ms < Date.UTC(3000, 0), `${name} is no date`)
    return new Date(ms).toISOString()
  }
  need(raw && typeof raw === "object", "it is no card")
  const {state, step, stability, difficulty} = raw
  need([1, 2, 3].includes(state), "state is not 1, 2 or 3")
  need(state === 2 ? step === null : Number.isInteger(step) && within(step, 0, 9), "step does not fit the state")
  const fresh = [stability, difficulty, raw.last_review].every(value => value === null)
  need(!fresh || state === 1, "state is not 1 before the first review")
  need(fresh || within(stability, 1e-3, 1e6), "stability is out of its range")
  need(fresh || within(difficulty, 1, 10), "difficulty is out of its range")
  const last_review = fresh ? null : time(raw.last_review, "last_review")
  const entry = {state, step, stability, difficulty, due: time(raw.due, "due"), last_review}
  if (raw.pending === undefined) return entry
  need(GRADES.includes(raw.pending?.grade), "the waiting grade is none of the four")
  return {...entry, pending: {grade: raw.pending.grade, at: time(raw.pending.at, "the time of the waiting grade")}}
}

export const fresh = now =>
  ({state: 1, step: 0, stability: null, difficulty: null, due: now.toISOString(), last_review: null})

export const reviewed = entry => entry.pending?.at ?? entry.last_review ?? ""

// What Python needs of an entry to say when the card comes back.
export const question = ({pending, ...card}, now) => ({now: now.toISOString(), card})

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)

// What can be used stays; the shelf puts the rest aside.
export function mend(data) {
  if (!data?.cards || typeof data.cards !== "object") return undefined
  const cards = {}
  for (const [id, raw] of Object.entries(data.cards)) try { cards[id] = entryOf(raw) } catch { /* left out */ }
  return {cards}
}

// The text of a file → the cards in it, and what was refused, in words. Throws where it is no deck at all.
export function readFile(text, known) {
  let file = null
  try { file = JSON.parse(text) } catch { /* said below */ }
  if (file?.format !== FILE || file.version !== 1 || !file.cards || typeof file.cards !== "object")
    throw new Error("This file is no deck of Attention Lab; nothing was changed.")
  const cards = {}, refused = []
  for (const [id, raw] of Object.entries(file.cards)) {
    try {
      if (!known.includes(id)) throw new Error("the lesson has no such card")
      cards[id] = entryOf(raw)
    } catch (error) { refused.push(`${id.slice(0, 20)} (${error.message})`) }
  }
  return {cards, refused}
}
