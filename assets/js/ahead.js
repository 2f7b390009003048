// When the cards come back: a forecast of two weeks, and the date of each card.
import {dayAfter, dayName, days, when} from "./dates.js"

const DAYS = 14
const make = (tag, props = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), props)
  node.append(...children)
  return node
}
let painted = ""

// cards: {id, entry, face}. Painted anew only when something changed, so that a link keeps its focus.
export function ahead(section, cards, now) {
  section.hidden = !cards.length
  const text = ({entry}) => entry.pending ? "waits for the server" : new Date(entry.due) <= now ? "due now" : when(now, new Date(entry.due))
  const rows = cards.toSorted((a, b) => Boolean(a.entry.pending) - Boolean(b.entry.pending) || a.entry.due.localeCompare(b.entry.due))
  const counts = Array(DAYS).fill(0)
  for (const {entry} of cards) {
    const day = Math.max(0, days(now, new Date(entry.due)))
    if (!entry.pending && day < DAYS) counts[day] += 1
  }
  const signature = JSON.stringify([counts, dayName(now), rows.map(row => [row.id, text(row)])])
  if (signature === painted) return
  painted = signature
  section.querySelector(".forecast").replaceChildren(...counts.map((n, i) => bar(n, i, dayAfter(now, i), Math.max(...counts))))
  const home = document.querySelector(".kicker a").href.split("#")[0]
  section.querySelector("tbody").replaceChildren(...rows.map(row => {
    const link = make("a", {href: `${home}#${row.id}`}, ...row.face.cloneNode(true).firstElementChild.childNodes)
    return make("tr", {}, make("td", {}, link), make("td", {}, text(row)))
  }))
}

function bar(n, i, date, most) {
  const [weekday, day] = dayName(date).split(" ")
  const column = make("span", {className: "column", ariaHidden: "true"},
    make("b", {}, n || ""), make("i", {}), make("span", {}, weekday.slice(0, 2)), make("span", {}, day))
  column.style.setProperty("--share", n / Math.max(most, 1))
  return make("li", {}, column, make("span", {className: "sr"}, `${i ? dayName(date) : "Today"}: ${n}`))
}
