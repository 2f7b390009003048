// The deck as a file, and an empty deck.
import {readFile} from "./entry.js"
import {download} from "./save.js"

const part = name => document.querySelector(`[data-${name}]`)
const cards = n => n === 1 ? "1 card" : `${n} cards`

export function tools({deck, known, say, show, look}) {
  const input = part("file"), dialog = document.querySelector("dialog")

  part("export").addEventListener("click", () => {
    const day = new Date().toISOString().slice(0, 10)
    download(new Blob([deck.file()], {type: "application/json"}), `attention-lab-deck-${day}.json`)
  })

  part("import").addEventListener("click", () => input.click())
  input.addEventListener("change", async () => {
    const [file] = input.files
    if (!file) return
    try { say(await load(await file.text())) } catch (error) { say(error.message) }
    input.value = ""  // so that the same file can be chosen again
    show()
  })

  async function load(text) {
    const {cards: found, refused} = readFile(text, known)
    const touched = await deck.merge(found), kept = Object.keys(found).length - touched.length
    const names = refused.slice(0, 3).join(", ") + (refused.length > 3 ? ` and ${refused.length - 3} more` : "")
    return [
      `Loaded ${cards(touched.length)}`,
      kept ? `; ${cards(kept)} not, because here is no older review` : "",
      refused.length ? `; refused: ${names}` : "",
    ].join("") + "."
  }

  part("reset").addEventListener("click", () => dialog.showModal())
  dialog.addEventListener("close", async () => {
    if (dialog.returnValue !== "empty") return
    dialog.returnValue = ""
    await deck.empty()
    say("Your deck is empty.")
    show()
    look()
  })
}
