// The dialog of a figure that gives a course page what it needs: a frame with the state shown, or a link to it.
import {linkOf, pageOf} from "./address.js"

const COLUMN = 720  // px: a usual column of a course page, for which the frame gets its first height

export class EmbedDialog {
  constructor(figure) {
    this.figure = figure
    this.dialog = figure.$("[data-embed]").content.firstElementChild.cloneNode(true)
    this.dialog.addEventListener("change", () => this.#fill())
    this.dialog.addEventListener("close", () => this.dialog.remove())  // its choices stay with us
    for (const button of this.dialog.querySelectorAll("[data-copy]"))
      button.addEventListener("click", () => this.#copy(button.dataset.copy))
  }

  open() {
    this.#fill()
    this.figure.$("figcaption").append(this.dialog)
    this.dialog.showModal()
  }

  get #hidden() { return [...this.dialog.querySelectorAll("[data-leave]:checked")].map(box => box.dataset.leave) }

  // The page keys that say what is chosen here.
  get #keys() {
    const names = this.#hidden.filter(name => name !== "caption")
    return {
      ...names.length && {hide: names.join()},
      ...this.#hidden.includes("caption") && {caption: "off"},
      ...this.#theme && {theme: this.#theme},
    }
  }

  get #theme() { return this.dialog.querySelector("[data-frame-theme]:checked").value }

  #fill() {
    const {slug, query} = this.figure, link = linkOf(slug, query, this.#keys)
    const frame = `<iframe src="${escape(link)}" title="${escape(this.dialog.dataset.title)}" width="100%" height="${this.#height()}" `
      + `style="border:0" loading="lazy" allow="clipboard-write"></iframe>`
    const script = `<script src="${escape(new URL("embed.js", pageOf(slug)).href)}" async></script>`
    for (const [name, text] of Object.entries({fitting: `${frame}\n${script}`, frame, link}))
      this.#code(name).textContent = text
  }

  #code(name) { return this.dialog.querySelector(`[data-snippet=${name}]`) }

  // Measured on a copy of the figure, as wide as it will stand there.
  #height() {
    const copy = this.figure.el.cloneNode(true), box = document.createElement("div"), hidden = this.#hidden
    box.className = "as-framed"
    box.style.width = `${COLUMN}px`
    box.dataset.hides = hidden.includes("caption") ? "title first sentence actions link" : hidden.join(" ")
    const out = ["dialog", ".extra", ...hidden.map(name => `[data-hide="${name}"]`)]
    for (const el of copy.querySelectorAll(out.join())) el.remove()
    box.append(copy)
    document.body.append(box)
    const height = Math.ceil(box.offsetHeight / 10) * 10
    box.remove()
    return height
  }

  async #copy(name) {
    const code = this.#code(name)
    let said = "Copied."
    try { await navigator.clipboard.writeText(code.textContent) } catch {  // no permission, or a page without https
      getSelection().selectAllChildren(code)
      said = "Selected: copy it with your keyboard."
    }
    this.dialog.querySelector("[data-embed-said]").textContent = said
  }
}

const escape = text => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
