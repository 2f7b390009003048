// Points that can be moved with mouse, finger and keys. They stand over the canvas as HTML, so each has a name, a focus
// ring and 44 px of its own, and a swipe beside them scrolls the page.
import {clamp, num} from "./text.js"

export class Handles {
  // onMove(points) is told of every move; the places have changed already by then.
  constructor(el, onMove) {
    this.el = el
    this.spec = JSON.parse(el.dataset.spec)
    this.onMove = onMove
    this.arrows = arrowsBefore(el)
    this.handles = [...el.querySelectorAll(".handle")]
    this.points = []
    this.handles.forEach((handle, i) => this.#listen(handle, i))
  }

  place(points) {
    const before = this.points, percent = value => 50 * (1 + value / this.spec.radius)
    this.points = points
    points.forEach(([x, y], i) => {
      if (x === before[i]?.[0] && y === before[i][1]) return
      const handle = this.handles[i]
      handle.style.setProperty("--x", percent(x))
      handle.style.setProperty("--y", percent(y))
      handle.setAttribute("aria-valuenow", x)
      handle.setAttribute("aria-valuetext", `across ${num(x, 2)}, up ${num(y, 2)}`)
    })
    for (const line of this.arrows) {
      line.setAttribute("x2", points[0][0])
      line.setAttribute("y2", -points[0][1])
    }
  }

  #move(i, x, y) {
    const {low, high} = this.spec
    const to = [x, y].map(c => +clamp(c, low, high).toFixed(3))
    if (to[0] === this.points[i][0] && to[1] === this.points[i][1]) return
    this.place(this.points.map((point, j) => j === i ? to : point))
    this.onMove(this.points)
  }

  #listen(handle, i) {
    let grip = null  // from the pointer to the middle of the handle, in pixels of the page
    let plane = null // measured once a drag (measuring at each move would force a layout), and after the window changed
    const measure = () => {
      plane = this.el.parentElement.getBoundingClientRect()
      plane.x += scrollX
      plane.y += scrollY
    }
    addEventListener("resize", () => { plane = null })
    handle.addEventListener("pointerdown", event => {
      if (event.button) return
      handle.setPointerCapture(event.pointerId)
      handle.focus({preventScroll: true})
      const box = handle.getBoundingClientRect()
      grip = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2]
      measure()
      handle.classList.add("held")
    })
    handle.addEventListener("pointermove", event => {
      if (!grip) return
      if (!plane) measure()
      const {radius} = this.spec
      this.#move(i, ((event.pageX - grip[0] - plane.x) / plane.width * 2 - 1) * radius,
        (1 - (event.pageY - grip[1] - plane.y) / plane.height * 2) * radius)
    })
    handle.addEventListener("lostpointercapture", () => {
      grip = null
      handle.classList.remove("held")
    })
    handle.addEventListener("keydown", event => {
      if (event.ctrlKey || event.altKey || event.metaKey) return
      const step = event.shiftKey ? 0.01 : 0.1, [x, y] = this.points[i]
      const to = {
        ArrowLeft: [x - step, y], ArrowRight: [x + step, y], ArrowUp: [x, y + step], ArrowDown: [x, y - step], Home: [0, 0],
      }[event.key]
      if (!to) return
      event.preventDefault()
      this.#move(i, ...to)
    })
  }
}

const arrowsBefore = el => el.previousElementSibling?.classList.contains("arrow")
  ? el.previousElementSibling.querySelectorAll("line") : []
