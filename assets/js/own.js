// A head of the reader's own: a file or pasted text goes to Python as it is, which reads it or says in one sentence why
// not. The page keeps the last good one, since Python may forget it when a connection is cut.
export class Own {
  #sent = null   // the file that was sent last
  #kept = null   // the file that is shown
  #count = 0

  // send(wish) asks Python; waits() tells whether a file still waits to be sent; problem(text) says what is wrong before
  // anything is sent.
  constructor(el, {send, waits, problem}) {
    Object.assign(this, {el: el.querySelector("[data-own]"), send, waits, problem})
    this.says = this.$("[data-own-says]")
    this.invites = this.says.textContent
    this.limit = +this.el.dataset.limit
    const file = this.$("input[type=file]"), paste = this.$("[data-own-paste]"), text = this.$("textarea"), opener = this.$("[data-own-do=paste]")
    const open = shown => {
      paste.hidden = !shown
      opener.setAttribute("aria-expanded", shown)
    }
    this.$("[data-own-do=file]").addEventListener("click", () => file.click())
    file.addEventListener("change", () => {
      this.#read(file.files[0])
      file.value = ""  // the same file again is news, too: it may have been changed
    })
    opener.addEventListener("click", () => {
      open(paste.hidden)
      if (!paste.hidden) text.focus()
    })
    this.$("[data-own-do=show]").addEventListener("click", () => this.#read(new File([text.value], "")))
    this.$("[data-own-do=back]").addEventListener("click", () => {
      this.$("[data-own-do=file]").focus()  // the button that was pressed goes away
      this.send({load: undefined, unload: true})
    })
    this.#drop(el)
  }

  $(selector) { return this.el.querySelector(selector) }

  // What Python shows now: {id, name, sizes} of a head, or nothing for the sentence.
  took(own) {
    if (!own) this.#kept = null
    else if (own.id === this.#sent?.id) this.#kept = this.#sent
    this.$("[data-own-do=back]").hidden = !own
    const text = own ? `${own.name}: ${own.sizes}. Links to this figure do not carry it.` : this.invites
    if (this.says.textContent !== text) this.says.textContent = text
  }

  // Python may have forgotten what was loaded.
  again(row) {
    if (this.#kept && !this.waits()) this.send({load: this.#kept, own_row: row})
  }

  #load(file) {
    this.#sent = file
    this.send({load: file, unload: undefined, own_row: undefined})
  }

  async #read(file) {
    if (!file) return
    if (file.size > this.limit)
      return this.problem(`file: expected at most ${this.limit / 1e6} MB, got ${(file.size / 1e6).toFixed(1)} MB.`)
    try {
      this.#load({id: ++this.#count, name: file.name, content: await base64(file)})
    } catch (error) {
      this.problem(`file: expected a file that can be read, got an error (${error.message}).`)
    }
  }

  #drop(figure) {
    const files = event => event.dataTransfer?.types.includes("Files")
    figure.addEventListener("dragover", event => {
      if (!files(event)) return
      event.preventDefault()
      figure.classList.add("dropping")
    })
    figure.addEventListener("dragleave", event => { if (!figure.contains(event.relatedTarget)) figure.classList.remove("dropping") })
    figure.addEventListener("drop", event => {
      if (!files(event)) return
      event.preventDefault()
      figure.classList.remove("dropping")
      this.#read(event.dataTransfer.files[0])
    })
  }
}

const base64 = file => new Promise((done, fail) => {
  const reader = new FileReader()
  reader.onload = () => done(reader.result.split(",")[1] ?? "")
  reader.onerror = () => fail(reader.error)
  reader.readAsDataURL(file)
})
