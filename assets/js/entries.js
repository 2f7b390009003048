// A typed number that the arrow keys step and that a mouse or a finger pulls sideways, like a slider without a track.
import {MINUS, clamp} from "./text.js"

const PULL = 6     // px for one step
const STILL = 4    // px that a click may move

const typedNumber = input => {
  const text = input.value.trim().replace(",", ".").replace(MINUS, "-")
  return text ? +text : NaN
}

// read() is the value that counts where the field holds no number; write(value) sets a new one.
export function stepped(input, read, write) {
  const {fine, low, high} = input.dataset
  const go = value => write(+clamp(value, +low, +high).toFixed(4))

  input.addEventListener("keydown", event => {
    const sign = {ArrowUp: 1, ArrowDown: -1}[event.key]
    if (!sign || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    const typed = typedNumber(input)
    go((Number.isFinite(typed) ? typed : read()) + sign * fine * (event.shiftKey ? 0.1 : 1))
  })

  let from = null  // where a pull began: {x, value, far}
  // A mouse would focus the field at once and select text while it pulls. A click without a pull does so afterwards.
  input.addEventListener("mousedown", event => { if (event.button === 0 && document.activeElement !== input) event.preventDefault() })
  input.addEventListener("pointerdown", event => {
    if (event.button === 0 && document.activeElement !== input) from = {x: event.clientX, value: read(), far: false}
  })
  input.addEventListener("pointermove", event => {
    if (!from) return
    const way = event.clientX - from.x
    if (!from.far && Math.abs(way) < STILL) return
    if (!from.far) input.setPointerCapture(event.pointerId)
    from.far = true
    go(from.value + Math.round(way / PULL) * fine)
  })
  input.addEventListener("pointerup", () => {
    if (from && !from.far) input.focus()
    from = null
  })
  input.addEventListener("pointercancel", () => { from = null })
}
