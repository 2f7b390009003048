// What of a figure's page is shown: hide=tau,presets and caption=off in its address, and less where another page frames
// it (docs/embed.md). Runs in <head>, before anything is painted.
;(() => {
  const root = document.documentElement, query = new URLSearchParams(location.search), framed = window.parent !== window
  const WORDS = ["title", "first", "presets", "sentence", "actions", "link"]  // of the page; all other names are knobs
  const asked = query.getAll("hide").join().split(",").map(name => name.trim()).filter(Boolean)
  const knobs = asked.filter(name => !WORDS.includes(name))
  const hides = asked.filter(name => WORDS.includes(name))
  if (query.get("caption") === "off") hides.push("top", "title", "first", "sentence", "actions", "link")
  root.dataset.hides = hides.join(" ")
  const style = document.createElement("style")
  style.textContent = knobs.map(name => `[data-hide="${CSS.escape(name)}"] { display: none !important; }`).join("\n")
  document.head.append(style)
  if (framed) {
    root.dataset.framed = ""
    document.head.append(Object.assign(document.createElement("base"), {target: "_blank"}))  // links leave the frame
  }

  function problems() {
    const known = [...new Set([...document.querySelectorAll("[data-hide]")].map(el => el.dataset.hide)), ...WORDS]
    const caption = query.get("caption")
    return [
      ...knobs.filter(name => !known.includes(name))
        .map(name => `hide: expected some of ${known.join(", ")}, got '${name.slice(0, 40)}'.`),
      ...caption === null || caption === "off" ? [] : [`caption: expected off, got '${caption.slice(0, 40)}'.`],
      ...framed && window.origin === "null"
        ? ["This figure cannot move here: the page that shows it must add allow-same-origin to the sandbox of its iframe."] : [],
    ]
  }

  addEventListener("DOMContentLoaded", () => {
    const line = document.querySelector("[data-problem]"), said = problems()
    if (!said.length) return
    line.textContent = [line.textContent, ...said].join(" ").trim()
    line.hidden = false
  })
})()
