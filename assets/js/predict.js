// Predict first: what the reader commits to before reading, and the truth beside it at the end of section 3.
import {chosen, follow, make, study, wake, wordsOf} from "./study.js"

const forms = [...document.querySelectorAll("form.predict")], answers = [...document.querySelectorAll(".answer")]
const numberOf = name => name.split("-")[1]
const SURE = {guess: "It was a guess.", fairly: "You were fairly sure.", sure: "You were sure."}

function showForm(form, kept) {
  const status = form.querySelector("[role=status]"), over = Boolean(kept?.skipped || kept?.shown)
  if (kept?.choice && !form.dataset.edited) {
    for (const name of ["choice", "sure"]) {
      const group = name === "sure" ? `${form.id}-sure` : form.id
      form.querySelector(`input[name="${group}"][value="${kept[name]}"]`).checked = true
    }
    form.elements.words.value = kept.words
  }
  if (!kept && form.hasAttribute("data-kept")) {  // all is forgotten
    form.reset()
    delete form.dataset.edited
    status.textContent = ""
  }
  form.toggleAttribute("data-kept", Boolean(kept))
  for (const el of form.querySelectorAll("fieldset, textarea")) el.disabled = over
  form.querySelector("button").hidden = over
  if (kept?.skipped) status.textContent = "You skipped this question and have seen the answer."
  else if (kept?.shown) status.textContent = "Kept. You have seen the answer, so it stays as it is."
  else if (kept && !form.dataset.edited) status.textContent = "Kept. You can change it until you see the answer."
}

function showAnswer(answer, kept) {
  const name = answer.dataset.of, yours = answer.querySelector(".yours")
  answer.toggleAttribute("data-closed", !kept)
  answer.querySelector(".waiting").hidden = Boolean(kept)
  answer.toggleAttribute("data-mine", Boolean(kept?.choice))
  yours.hidden = !kept?.choice
  yours.replaceChildren()
  for (const told of answer.querySelectorAll(".told")) told.toggleAttribute("data-mine", told.dataset.choice === kept?.choice)
  for (const verdict of answer.querySelectorAll(".judged")) verdict.remove()
  if (!kept?.choice) return
  yours.append(make("p", {className: "label", textContent: "You said"}), make("p", {}, ...wordsOf(name, kept.choice)),
    make("p", {className: "aside"}, SURE[kept.sure], ...kept.words ? [` Your reason: “${kept.words}”`] : []))
  const verdict = kept.choice === answer.dataset.right ? "You were right." : "Not quite."
  answer.querySelector(".told[data-mine]").prepend(make("p", {className: "judged", textContent: verdict}))
}

function keep(form) {
  const prediction = {choice: chosen(form, form.id), sure: chosen(form, `${form.id}-sure`), words: form.elements.words.value.trim()}
  const missing = !prediction.choice ? [form.id, "Choose an answer first."] : !prediction.sure && [`${form.id}-sure`, "Say how sure you are."]
  if (missing) {
    form.querySelector("[role=status]").textContent = missing[1]
    form.querySelector(`input[name="${missing[0]}"]`).focus()
    return
  }
  delete form.dataset.edited
  study.change(data => {
    const old = data.predictions[numberOf(form.id)]
    if (!old?.shown && !old?.skipped) data.predictions[numberOf(form.id)] = prediction
  })
}

for (const form of forms) {
  wake(form)
  form.addEventListener("submit", event => { event.preventDefault(); keep(form) })
  form.addEventListener("input", () => {
    form.dataset.edited = "true"
    form.querySelector("[role=status]").textContent = form.hasAttribute("data-kept") ? "Changed, not kept yet." : ""
  })
}

// Whoever has seen the truth can no longer predict it.
const seen = new IntersectionObserver(entries => {
  for (const {isIntersecting, target} of entries) {
    const n = numberOf(target.closest(".answer").dataset.of), kept = study.read().predictions[n]
    if (isIntersecting && kept?.choice && !kept.shown) study.change(data => {
      if (data.predictions[n]?.choice) data.predictions[n].shown = true
    })
  }
})
for (const answer of answers) {
  const truth = answer.querySelector(".truth")
  seen.observe(truth)
  answer.querySelector("[data-skip]").addEventListener("click", async () => {
    await study.change(data => { data.predictions[numberOf(answer.dataset.of)] ??= {skipped: true} })
    truth.focus({preventScroll: true})
  })
}

follow(data => {
  for (const form of forms) showForm(form, data.predictions[numberOf(form.id)])
  for (const answer of answers) showAnswer(answer, data.predictions[numberOf(answer.dataset.of)])
})
