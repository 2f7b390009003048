// Larger type and thicker lines for a projector. The address says so, and a link shows it again.
import {isTyping} from "./study.js"

const root = document.documentElement, button = document.querySelector("[data-present-switch]")
button.hidden = false

// The rest of the query stays as it is written: figures have a compact form of their own.
function write(on) {
  const rest = location.search.slice(1).split("&").filter(pair => pair && pair.split("=")[0] !== "present")
  const query = [...rest, ...on ? ["present"] : []].join("&")
  history.replaceState(history.state, "", `${location.pathname}${query && `?${query}`}${location.hash}`)
}
function show() { button.setAttribute("aria-pressed", "present" in root.dataset) }
function set(on) {
  const here = document.querySelector(".toc [aria-current]")?.hash.slice(1)
  if (on) root.dataset.present = ""
  else delete root.dataset.present
  write(on)
  show()
  dispatchEvent(new Event("themechange"))  // canvases take up the new sizes and colours
  if (here) document.getElementById(here).scrollIntoView({behavior: "instant"})
}
show()
button.addEventListener("click", () => set(!("present" in root.dataset)))
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return
  if (event.key.toLowerCase() === "p") set(!("present" in root.dataset))
  else if (event.key === "Escape" && "present" in root.dataset) set(false)
})
