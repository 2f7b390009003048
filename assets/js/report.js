// Report a mistake: the teacher's form where the server knows one, else a text to copy.
import {wake} from "./study.js"

// Where the reader is: the heading that was passed last, in a link with the state of the figures.
function place() {
  const current = document.querySelector(".toc [aria-current]"), url = new URL(location.href)
  url.hash = current?.hash ?? ""
  const section = current?.closest("ol ol")?.closest("li").querySelector("a") ?? current
  const words = [section, section !== current && current].filter(Boolean).map(link => spoken(link))
  return {url: url.href, section: words.join(", ") || "the beginning"}
}
// Formulas as their source, ticks left out.
function spoken(link) {
  const copy = link.cloneNode(true)
  for (const formula of copy.querySelectorAll(".katex")) formula.replaceWith(formula.querySelector("annotation").textContent)
  return [...copy.querySelectorAll(".n")].map(n => `${n.textContent} `).join("") +
    (copy.querySelector(".n + span") ?? copy).textContent.trim()
}
function report() {
  const {url, section} = place(), root = document.documentElement
  const dark = getComputedStyle(root).colorScheme.includes("dark")
  return `Section: ${section.trim()}\nLink: ${url}\nWindow: ${innerWidth} × ${innerHeight} pixels, ${dark ? "dark" : "light"} theme` +
    `\nBrowser: ${navigator.userAgent}\nWhat is wrong:\n`
}

const opener = document.querySelector("[data-report]"), dialog = document.getElementById("report")
wake(document.querySelector(".lesson-foot"))
if (dialog) {
  const text = dialog.querySelector("textarea"), status = dialog.querySelector("[role=status]")
  opener.addEventListener("click", () => {
    text.value = report()
    status.textContent = ""
    dialog.showModal()
    text.focus()
    text.setSelectionRange(text.value.length, text.value.length)
  })
  dialog.querySelector("[data-copy]").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.value)
      status.textContent = "Copied."
    } catch {
      text.select()
      status.textContent = "The text is selected: copy it by hand."
    }
  })
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close())
  dialog.addEventListener("close", () => opener.focus({preventScroll: true}))
} else {
  const fill = () => { opener.href = opener.dataset.report.replaceAll("{place}", encodeURIComponent(place().url)) }
  for (const kind of ["pointerdown", "focus"]) opener.addEventListener(kind, fill)
}
