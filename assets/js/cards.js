// The recall cards of the lesson: into the deck and out of it.
import {inWords} from "./dates.js"
import {Deck} from "./deck.js"

const deck = new Deck(), folds = [...document.querySelectorAll("details.card")], ids = folds.map(fold => fold.id)
const foot = document.querySelector(".deck"), review = foot.querySelector("[data-review]")
const make = (tag, props) => Object.assign(document.createElement(tag), props)

const said = make("span", {className: "told", role: "status"})  // beside what was pressed last, with the way back
const back = make("button", {type: "button", className: "btn", textContent: "Undo", hidden: true})
const all = make("button", {type: "button", className: "btn", textContent: "Add all ten"})

function say(text, place) {
  said.textContent = text
  back.hidden = !text
  if (place) place.append(said, back)
}

back.addEventListener("click", async () => {
  const place = back.parentElement.querySelector("button")
  await deck.undo()
  say("")
  place.focus()
})

for (const fold of folds) {
  const row = make("p", {className: "keep"})
  const button = make("button", {type: "button", className: "btn"})
  fold.mark = make("span", {className: "in-deck"})
  fold.button = button
  button.addEventListener("click", async () => {
    const had = fold.id in deck.cards
    await (had ? deck.remove([fold.id]) : deck.add([fold.id]))
    say(had ? "Out of your deck, with its dates." : "", row)
  })
  row.append(button)
  fold.querySelector("div").append(row)
  fold.querySelector("summary").append(fold.mark)
}

all.addEventListener("click", async () => {
  const added = await deck.add(ids)
  say(added.length === 1 ? "1 card is new in your deck." : `${added.length} cards are new in your deck.`, foot)
  review.focus()  // the button is gone
})
foot.prepend(all)
review.href = document.documentElement.dataset.pages.replace("%", "review")

function show() {
  const now = new Date(), cards = deck.cards, due = deck.due(ids, now).length
  for (const {id, button, mark} of folds) {
    const entry = cards[id]
    button.textContent = entry ? "In my deck" : "Add to my deck"
    button.setAttribute("aria-pressed", Boolean(entry))
    mark.textContent = !entry ? "" : entry.pending ? "in your deck"
      : `in your deck, due ${inWords(now, new Date(entry.due))}`
  }
  all.hidden = ids.every(id => cards[id])
  review.textContent = due ? `Open the review: ${due} ${due === 1 ? "card is" : "cards are"} due` : "Open the review"
}

deck.onChange(show)
setInterval(show, 30e3)
show()
