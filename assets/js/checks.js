// Quick checks: choose, check, read why, try again. Self-checks: say how it went.
import {chosen, follow, study, wake} from "./study.js"

const forms = [...document.querySelectorAll("form.check")]
const numberOf = form => form.id.split("-")[1]
const isRight = (form, choice) => form.querySelector(`[data-choice="${choice}"] .why`).matches("[data-right]")
const status = form => form.querySelector("[role=status]")

function show(form, tried) {
  for (const choice of form.querySelectorAll(".option")) {
    const at = tried.indexOf(choice.dataset.choice)
    choice.toggleAttribute("data-tried", at >= 0)
    choice.querySelector(".first").hidden = at !== 0 || tried.length < 2
  }
  if (tried.length && !chosen(form, form.id)) form.querySelector(`input[value="${tried.at(-1)}"]`).checked = true
  if (!tried.length && form.dataset.live === "tried") { form.reset(); status(form).textContent = "" }
  form.dataset.live = tried.length ? "tried" : "new"
  const at = tried.findIndex(choice => isRight(form, choice))
  form.toggleAttribute("data-done", at >= 0)
  if (at >= 0) status(form).textContent = at === 0 ? "Right at the first try." : `Right after ${at + 1} tries.`
}

function check(form) {
  const choice = chosen(form, form.id), n = numberOf(form)
  if (!choice) {
    status(form).textContent = "Choose an answer first."
    form.querySelector("input").focus()
    return
  }
  if (!isRight(form, choice)) status(form).textContent = "Not yet. The reason stands under your answer."
  study.change(data => {
    const tried = data.checks[n] ?? []
    if (!tried.includes(choice)) data.checks[n] = [...tried, choice]
  })
}

for (const form of forms) {
  wake(form)
  form.addEventListener("submit", event => { event.preventDefault(); check(form) })
}

const rated = [...document.querySelectorAll("[data-self]")]
for (const row of rated) {
  row.hidden = false
  row.addEventListener("click", event => {
    const rate = event.target.closest("[data-rate]")?.dataset.rate
    if (rate) study.change(data => {
      if (data.selves[row.dataset.self] === rate) delete data.selves[row.dataset.self]
      else data.selves[row.dataset.self] = rate
    })
  })
}

follow(data => {
  for (const form of forms) show(form, data.checks[numberOf(form)] ?? [])
  for (const row of rated) for (const button of row.children) {
    button.setAttribute("aria-pressed", button.dataset.rate === data.selves[row.dataset.self])
  }
})
