// Videos come when the reader presses play, not before: a page that is only read asks no other host.
import {make} from "./study.js"

async function play(card, box) {
  const status = card.querySelector("[role=status]"), {embed, title} = card.dataset
  status.textContent = "Loading …"
  try {  // a frame does not say that it failed; this asks the same host, and does
    await fetch(embed, {method: "HEAD", mode: "no-cors", credentials: "omit", signal: AbortSignal.timeout(10_000)})
  } catch {
    status.textContent = "The video could not be loaded. The link above leads to it on YouTube."
    return
  }
  status.textContent = ""
  // YouTube wants to know which site shows its player: the name of the host, no more.
  const frame = make("iframe", {src: embed, title, allow: "autoplay; fullscreen; encrypted-media; picture-in-picture",
    referrerPolicy: "strict-origin-when-cross-origin", allowFullscreen: true})
  box.replaceChildren(frame)
  frame.focus()
}

for (const card of document.querySelectorAll(".video")) {
  const box = card.querySelector(".vid")
  box.hidden = false
  let asked = false
  box.querySelector("button").addEventListener("click", async () => {
    if (asked) return
    asked = true
    await play(card, box)
    asked = false
  })
}
