// Paces every input of the page: at most one message is on its way, the newest value of each knob wins, the last one
// always arrives. What comes before the wire is there waits and is sent then.
export class Gate {
  #box = {}            // figure → what it asks for next
  #seq = Date.now()    // unique to this page: an answer meant for a page before this one is not ours
  #timer = 0
  #send = null         // how a message leaves; there once somebody listens

  constructor({onAnswer, onBusy, patience = 4000}) {
    this.onAnswer = onAnswer
    this.onBusy = onBusy
    this.patience = patience
  }

  get busy() { return this.#timer !== 0 || Object.keys(this.#box).length > 0 }

  // wish: {knobs: {tau: "0.2"}} or {preset: "uniform"} or {reset: true}; csv, code, numbers and everything ask for more in the answer
  put(figure, wish) {
    const waiting = this.#box[figure] ?? {}
    const startsAnew = wish.preset || wish.reset
    const before = startsAnew ? {...waiting, knobs: {}, preset: undefined, reset: undefined} : waiting
    this.#box[figure] = {...before, ...wish, knobs: {...before.knobs, ...wish.knobs}}
    this.#pump()
  }

  // Is there a newer value than the one an answer brings? Then the answer must not pull the control back.
  newer(figure, knob) {
    const waiting = this.#box[figure]
    return waiting !== undefined && (knob in (waiting.knobs ?? {}) || Boolean(waiting.preset || waiting.reset))
  }

  connect(send) {
    this.#send = send
    this.open()
  }

  disconnect() { this.#send = null }

  answer(message) {
    this.onAnswer(message)
    if (message.seq === this.#seq) this.open()  // not after the paint: the server works while the browser paints
  }

  open() {
    clearTimeout(this.#timer)
    this.#timer = 0
    this.#pump()
  }

  #pump() {
    this.onBusy(this.busy)
    if (!this.#send || this.#timer || !Object.keys(this.#box).length) return
    const figures = this.#box
    this.#box = {}
    this.#timer = setTimeout(() => this.open(), this.patience)  // a lost message must not lock the page
    this.#send({seq: ++this.#seq, figures})
  }
}
