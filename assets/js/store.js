// What the reader's browser keeps, and nobody else gets. A shelf is one entry of local storage: {v: version, data}.
// Two tabs do not undo each other: each change reads the entry anew, under a lock where the browser has one.
const PREFIX = "attention-lab."

export class Shelf {
  #memory = null  // stands in where storage is forbidden (a sandboxed frame); lasts as long as the page
  #listeners = []

  // empty: the data of a new reader. mend(data): what of a stored value can be used, or undefined for nothing; what had
  // to be mended is put aside under "….broken", not thrown away.
  constructor(name, {empty, version = 1, mend = data => data}) {
    Object.assign(this, {key: PREFIX + name, empty, version, mend})
    addEventListener("storage", event => {
      if (event.key === this.key || event.key === null) this.#tell()  // null: everything was cleared
    })
  }

  // A copy: to change it, use change().
  read() {
    const raw = this.#get()
    if (raw === null) return structuredClone(this.empty)
    let entry = null
    try { entry = JSON.parse(raw) } catch { /* put aside below */ }
    const data = entry?.v === this.version ? this.mend(structuredClone(entry.data)) : undefined
    if (JSON.stringify(data) !== JSON.stringify(entry?.data) || data === undefined) this.#put(`${this.key}.broken`, raw)
    return data ?? structuredClone(this.empty)
  }

  // update(data) gives the new data, or changes the one it got.
  change(update) {
    const act = () => {
      const data = this.read()
      this.#put(this.key, JSON.stringify({v: this.version, data: update(data) ?? data}))
      this.#tell()
    }
    return navigator.locks ? navigator.locks.request(this.key, act) : Promise.resolve(act())
  }

  // After every change, of this tab or another one.
  onChange(listener) { this.#listeners.push(listener) }

  #tell() { for (const listener of this.#listeners) listener(this.read()) }

  #get() {
    try { return localStorage.getItem(this.key) } catch { return this.#memory }
  }

  #put(key, text) {
    try { localStorage.setItem(key, text) } catch { if (key === this.key) this.#memory = text }
  }
}
