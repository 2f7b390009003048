// Light, dark, or as the system says. Runs in <head>, before anything is painted.
;(() => {
  const root = document.documentElement, query = new URLSearchParams(location.search), KEY = "attention-lab.theme"
  const order = ["system", "light", "dark"], words = {system: "as the system", light: "light", dark: "dark"}
  let chosen = "system"
  try { chosen = localStorage.getItem(KEY) ?? chosen } catch { /* a sandboxed frame has no storage */ }
  if (order.includes(query.get("theme"))) chosen = query.get("theme")
  if (!order.includes(chosen)) chosen = "system"
  if (query.has("present")) root.dataset.present = ""
  const show = () => {
    if (chosen === "system") delete root.dataset.theme
    else root.dataset.theme = chosen
    for (const name of document.querySelectorAll("[data-theme-name]")) name.textContent = words[chosen]
    dispatchEvent(new Event("themechange"))
  }
  show()
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show)
  addEventListener("DOMContentLoaded", () => {
    show()
    document.querySelector("[data-theme-switch]")?.addEventListener("click", () => {
      chosen = order[(order.indexOf(chosen) + 1) % order.length]
      try { localStorage.setItem(KEY, chosen) } catch { /* the choice then lasts as long as the page */ }
      show()
    })
  })
})()
