// The review deck, in this browser only. Each thing the reader does is a step that can be taken back.
import {ask} from "./ask.js"
import {entryOf, FILE, fresh, mend, question, reviewed, same} from "./entry.js"
import {Shelf} from "./store.js"

const number = id => Number(id.replace(/\D/g, ""))

export class Deck {
  #steps = []  // {words, before, after}: the entries that a step touched, undefined where there was none
  shelf = new Shelf("deck", {empty: {cards: {}}, mend})

  get cards() { return this.shelf.read().cards }

  get last() { return this.#steps.at(-1)?.words ?? null }

  onChange(listener) { this.shelf.onChange(listener) }

  // Ids of the cards that can be shown, the one that is due first in front. A grade that waits for its date keeps its card back.
  soonest(known) {
    const cards = this.cards
    return known.filter(id => cards[id] && !cards[id].pending)
      .sort((a, b) => cards[a].due.localeCompare(cards[b].due) || number(a) - number(b))
  }

  due(known, now = new Date()) {
    const cards = this.cards
    return this.soonest(known).filter(id => new Date(cards[id].due) <= now)
  }

  waiting() { return Object.entries(this.cards).filter(([, entry]) => entry.pending) }

  // update changes the cards it gets. Answers the ids that it touched.
  async step(words, update) {
    let before, after
    await this.shelf.change(({cards}) => {
      before = structuredClone(cards)
      update(cards)
      after = structuredClone(cards)
    })
    const touched = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(id => !same(before[id], after[id]))
    const part = cards => Object.fromEntries(touched.map(id => [id, cards[id]]))
    if (touched.length) this.#steps.push({words, before: part(before), after: part(after)})
    return touched
  }

  // Takes the last step back, except where another tab has gone on from it: {words, ids, left: how many of those}.
  async undo() {
    const {words, before, after} = this.#steps.pop()
    let left = 0
    await this.shelf.change(({cards}) => {
      for (const [id, was] of Object.entries(before)) {
        if (!same(cards[id], after[id])) left += 1
        else if (was) cards[id] = was
        else delete cards[id]
      }
    })
    return {words, ids: Object.keys(before), left}
  }

  add(ids, now = new Date()) {
    return this.step("Added", cards => { for (const id of ids) cards[id] ??= fresh(now) })
  }

  remove(ids) {
    return this.step("Removed", cards => { for (const id of ids) delete cards[id] })
  }

  empty() {
    return this.step("Emptied", cards => { for (const id of Object.keys(cards)) delete cards[id] })
  }

  // shown: the entry that the reader graded. Nothing happens when another tab was first.
  grade(id, shown, next, words) {
    return this.step(words, cards => { if (same(cards[id], shown)) cards[id] = entryOf(next) })
  }

  // Of two versions of a card, the one with the later review stays.
  merge(others) {
    return this.step("Imported", cards => {
      for (const [id, other] of Object.entries(others))
        if (!cards[id] || reviewed(other) > reviewed(cards[id])) cards[id] = other
    })
  }

  file(now = new Date()) {
    return JSON.stringify({format: FILE, version: 1, exported: now.toISOString(), cards: this.cards}, null, 1)
  }

  // Grades that were given while nobody answered get their dates, as of the time when they were given.
  async settle() {
    const waiting = this.waiting()
    if (!waiting.length) return
    const asked = waiting.map(([id, entry]) => [id, question(entry, new Date(entry.pending.at))])
    const answer = await ask({cards: Object.fromEntries(asked)})
    const settled = waiting.map(([id, entry]) => [id, entry, entryOf(answer.cards[id][entry.pending.grade])])
    await this.shelf.change(({cards}) => {
      for (const [id, old, next] of settled) if (same(cards[id], old)) cards[id] = next
    })
    for (const {after} of this.#steps)  // so that undo knows them again
      for (const [id, old, next] of settled) if (same(after[id], old)) after[id] = next
  }
}
