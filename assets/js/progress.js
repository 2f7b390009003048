// How far the reader has come: ticks in the contents, a line of counts, a way back to where one stopped, a fresh start.
import {follow, make, study} from "./study.js"

const toc = document.querySelector(".toc"), sections = [...document.querySelectorAll(".part")]
const headOf = section => section.getAttribute("aria-labelledby")
const linkTo = id => toc.querySelector(`a[href="#${CSS.escape(id)}"]`)
const count = selector => document.querySelectorAll(selector).length

// A section is read when its end has been in view for a moment; who jumps past it has not read it.
const MOMENT = 1000, waiting = new Map()
const ends = new IntersectionObserver(entries => {
  for (const {isIntersecting, target} of entries) {
    clearTimeout(waiting.get(target))
    if (isIntersecting) waiting.set(target, setTimeout(read, MOMENT, headOf(target.parentElement)))
  }
})
function read(id) {
  if (!study.read().read.includes(id)) study.change(data => { data.read = [...new Set([...data.read, id])] })
}
for (const section of sections) {
  const end = section.appendChild(make("i", {className: "end"}))
  end.setAttribute("aria-hidden", "true")
  ends.observe(end)
}

const foot = make("div", {className: "toc-foot"}), counts = make("p"), say = make("p")
const ask = make("button", {type: "button", className: "textual", textContent: "Start over"})
say.setAttribute("role", "status")
foot.append(counts, say, ask)
toc.querySelector("details").append(foot)

function offer(text, ...buttons) {
  say.replaceChildren(text, ...buttons.flatMap(([words, act]) => {
    const button = make("button", {type: "button", className: "textual", textContent: words})
    button.addEventListener("click", act)
    return [" ", button]
  }))
  ask.hidden = buttons.length > 0
}
ask.addEventListener("click", () => {
  offer("Forget all your answers and progress in this lesson?", ["Yes, forget", startOver], ["No, keep", close])
  say.querySelector("button").focus()
})
function close() { offer(""); ask.focus() }
async function startOver() {
  const before = study.read()
  await study.change(() => structuredClone(study.empty))
  offer("Everything is forgotten.", ["Undo", () => restore(before)])
  say.querySelector("button").focus()
}
async function restore(before) {
  await study.change(now => {  // what was done since then stays, too
    for (const part of ["predictions", "checks", "selves"]) before[part] = {...now[part], ...before[part]}
    return {...before, read: [...new Set([...before.read, ...now.read])]}
  })
  close()
}

const TICK = '<svg class="ic done" viewBox="0 0 16 16" role="img" aria-label="read"><path d="m3 8.5 3.5 3.5L13 4.5"/></svg>'
follow(data => {
  for (const section of sections) {
    const link = linkTo(headOf(section)), done = data.read.includes(headOf(section))
    if (!done) link.querySelector(".done")?.remove()
    else if (!link.querySelector(".done")) link.insertAdjacentHTML("beforeend", TICK)
  }
  const right = [...document.querySelectorAll("form.check")].filter(form =>
    data.checks[form.id.split("-")[1]]?.includes(form.querySelector("[data-right]").parentElement.dataset.choice)).length
  const done = [[sections.filter(s => data.read.includes(headOf(s))).length, sections.length, "sections"],
    [Object.keys(data.predictions).length, count("form.predict"), "predictions"],
    [right, count("form.check"), "checks"], [Object.keys(data.selves).length, count("[data-self]"), "self-checks"]]
  foot.hidden = !say.hasChildNodes() && done.every(([n]) => n === 0)
  counts.textContent = done.map(([n, all, what]) => `${n} of ${all} ${what}`).join(", ")
})

// Where one stopped. A place in the address wins, so then nothing is offered.
const stopped = study.read().place
if (stopped && !location.hash && linkTo(stopped)) {
  const link = linkTo(stopped), outer = link.closest("ol ol")?.closest("li") ?? link.parentElement
  const words = (link.querySelector(".n + span") ?? link).cloneNode(true)
  const number = outer.querySelector(".n").textContent
  const go = make("a", {href: `#${stopped}`}, number ? `${number} ` : "", ...words.childNodes)
  document.querySelector(".head").append(make("p", {className: "go-on"}, "Go on at: ", go))
}
let rest = 0
addEventListener("scroll", () => {
  clearTimeout(rest)
  rest = setTimeout(() => {
    const here = toc.querySelector("[aria-current]")?.hash.slice(1) ?? ""
    if (here !== study.read().place) study.change(data => { data.place = here })
  }, 600)
}, {passive: true})
