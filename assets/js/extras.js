// What opens under a figure: its code and the numbers behind the picture. Both are asked for only while they are open,
// and again when the figure has come to rest, so that a drag does not carry them along.
export class Extras {
  #snippets = {}
  #asked = ""    // the state for which they were asked last

  constructor(el, ask) {
    this.el = el
    this.ask = ask
    this.tabs = [...el.querySelectorAll("[data-flavour]")]
    this.tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => this.#choose(tab))
      tab.addEventListener("keydown", event => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return
        event.preventDefault()
        const other = this.tabs[(i + 1) % this.tabs.length]
        this.#choose(other)
        other.focus()
      })
    })
  }

  get code() { return this.#snippets[this.#flavour] ?? "" }

  get #flavour() { return this.tabs.find(tab => tab.ariaSelected === "true").dataset.flavour }

  #panel(name) { return this.el.querySelector(`[data-extra=${name}]`) }

  toggle(name, button) {
    const panel = this.#panel(name)
    panel.hidden = !panel.hidden
    button.setAttribute("aria-expanded", !panel.hidden)
    this.#asked = ""
    this.refresh()
  }

  // Ask for what is open, once a state: the answer to this question comes to rest, too.
  refresh() {
    const open = ["code", "numbers"].filter(name => !this.#panel(name).hidden)
    const state = `${open}?${this.el.dataset.query}`
    if (!open.length || state === this.#asked) return
    this.#asked = state
    this.ask(Object.fromEntries(open.map(name => [name, true])))
  }

  show({code, numbers}) {
    if (code) {
      this.#snippets = code
      this.#fill()
    }
    if (numbers) this.#panel("numbers").querySelector(".scroll").innerHTML = numbers
  }

  selectCode() { getSelection().selectAllChildren(this.#panel("code").querySelector("code")) }

  #choose(chosen) {
    for (const tab of this.tabs) {
      tab.setAttribute("aria-selected", tab === chosen)
      tab.tabIndex = tab === chosen ? 0 : -1
    }
    this.#panel("code").querySelector("pre").setAttribute("aria-labelledby", chosen.id)
    this.#fill()
  }

  #fill() { this.#panel("code").querySelector("code").textContent = this.code }
}
