// Paces every input of the page: at most one message is on its way, the newest value of each knob wins, the last one
// always arrives. What comes before the wire is there waits and is sent then.
export class Gate {
  #box = {}            // figure → what it asks for next
  #sent = {}           // the same, on its way
  #seq = Date.now()    // unique to this page: an answer meant for a page before this one is not ours
  #timer = 0
  #send = null         // how a message leaves; there once somebody listens

  constructor({onAnswer, onBusy, patience = 4000}) {
    this.onAnswer = onAnswer
    this.onBusy = onBusy
    this.patience = patience
  }

  get busy() { return this.#timer !== 0 || Object.keys(this.#box).length > 0 }

  // wish: {knobs: {tau: "0.2"}} or {preset: "uniform"} or {reset: true}; csv, code, numbers, sheet, everything and picture ask for more in the answer
  put(figure, wish) {
    this.#box[figure] = both(this.#box[figure] ?? {}, wish)
    this.#pump()
  }

  // After a cut, the other side may have forgotten everything: it gets the state of the page, under what still waits.
  restore(figure, texts) {
    this.#box[figure] = {...this.#box[figure], state: texts, everything: true, picture: true}
  }

  // Is there a newer value than the one an answer brings? Then the answer must not pull the control back.
  newer(figure, knob) {
    const waiting = this.#box[figure]
    return waiting !== undefined && (knob in (waiting.knobs ?? {}) || Boolean(waiting.preset || waiting.reset))
  }

  // Does a wish of this kind wait to be sent?
  waits(figure, kind) { return this.#box[figure]?.[kind] !== undefined }

  connect(send) {
    this.#send = send
    this.open()
  }

  // What was on its way may never arrive, so it waits again, before what came after it.
  disconnect() {
    this.#send = null
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = 0
    for (const [figure, wish] of Object.entries(this.#sent)) this.#box[figure] = both(wish, this.#box[figure] ?? {})
  }

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
    this.#sent = figures
    this.#box = {}
    this.#timer = setTimeout(() => this.open(), this.patience)  // a lost message must not lock the page
    this.#send({seq: ++this.#seq, figures})
  }
}

// One wish after another. A preset or a reset starts anew; a knob that is set again goes to the end, since the order
// counts where knobs hang on one another.
function both(first, second) {
  const before = second.preset || second.reset ? {...first, knobs: {}, preset: undefined, reset: undefined} : first
  const knobs = {...before.knobs}
  for (const name of Object.keys(second.knobs ?? {})) delete knobs[name]
  return {...before, ...second, knobs: {...knobs, ...second.knobs}}
}
