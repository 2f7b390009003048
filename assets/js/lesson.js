// What the text gains from a script: where one is, boxes that scroll by key, code to copy, folds that open for their link.
import {opened} from "./opening.js"
import "./predict.js"
import "./checks.js"
import "./progress.js"
import "./search.js"
import "./videos.js"
import "./report.js"
import "./present.js"

const toc = document.querySelector(".toc"), links = new Map()
for (const link of toc.querySelectorAll("a")) links.set(link.hash.slice(1), link)

// The heading that was passed last is where one is.
const headings = [...links.keys()].map(id => document.getElementById(id))
function where() {
  const passed = headings.filter(h => h.getBoundingClientRect().top < innerHeight / 4).at(-1)
  for (const link of links.values()) link.removeAttribute("aria-current")
  for (const li of toc.querySelectorAll(".open")) li.classList.remove("open")
  if (!passed) return
  const here = links.get(passed.id), outer = here.closest("ol ol")?.closest("li") ?? here.parentElement
  here.setAttribute("aria-current", "location")
  outer.classList.add("open")
}
let asked = false
addEventListener("scroll", () => {
  if (asked) return
  asked = true
  requestAnimationFrame(() => { asked = false; where() })
}, {passive: true})
opened.then(where)

const wide = matchMedia("(min-width: 64rem)")
wide.addEventListener("change", () => { toc.querySelector("details").open = wide.matches })
toc.addEventListener("click", event => {
  if (event.target.closest("a") && !wide.matches) toc.querySelector("details").open = false
})

// A box that is wider than the screen can be scrolled with the keyboard, and only then is a stop for Tab.
const boxes = [...document.querySelectorAll("pre, .eq, .scroll")].filter(box => !box.closest(".fig"))
const measure = () => {
  for (const box of boxes) box.toggleAttribute("data-wide", box.scrollWidth > box.clientWidth + 1)
  for (const box of boxes) box.hasAttribute("data-wide") ? box.tabIndex = 0 : box.removeAttribute("tabindex")
}
opened.then(() => new ResizeObserver(measure).observe(document.querySelector("main")))
document.fonts.ready.then(() => opened).then(measure)
for (const fold of document.querySelectorAll("main details")) fold.addEventListener("toggle", measure)

for (const box of document.querySelectorAll(".program, .listing")) {
  const button = Object.assign(document.createElement("button"), {type: "button", className: "btn copy", textContent: "Copy"})
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(box.querySelector("code").textContent + "\n")
      button.textContent = "Copied"
    } catch { button.textContent = "Select and copy by hand" }
    setTimeout(() => { button.textContent = "Copy" }, 2000)
  })
  box.append(button)
}

// Paper has no folds to open.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("main details:not([open])")) { fold.open = true; fold.dataset.print = "" }
})
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("[data-print]")) { fold.open = false; delete fold.dataset.print }
})

// Fonts that only folded text needs come once the page rests, so that all of it reads well when the connection is gone.
const rest = window.requestIdleCallback ?? setTimeout
opened.then(() => rest(() => { for (const font of document.fonts) font.load().catch(() => {}) }))
