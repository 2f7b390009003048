// The floor's hand: moves the handle and the arrow, and tells the callback. No pacing, no text, no server.
const {docs, items} = JSON.parse(document.getElementById("floor").textContent)
await Promise.all(["500 13px Inter", "700 13px Inter"].map(font => document.fonts.load(font)))
await Bokeh.embed.embed_items(docs, items)

const wish = Bokeh.documents[0].get_model_by_name("wish")
const handle = document.querySelector(".handles-query .handle"), plane = handle.closest(".plane")
const slide = document.querySelector("input.slide[data-knob=tau]")
const arrow = plane.querySelectorAll(".arrow line"), {radius} = JSON.parse(handle.parentElement.dataset.spec)

const ask = news => { wish.data = {...wish.data, ...news} }

handle.addEventListener("pointerdown", event => {
  handle.setPointerCapture(event.pointerId)
  handle.classList.add("held")
})
handle.addEventListener("lostpointercapture", () => handle.classList.remove("held"))
handle.addEventListener("pointermove", event => {
  if (!handle.classList.contains("held")) return
  const box = plane.getBoundingClientRect()
  const x = +(((event.clientX - box.left) / box.width * 2 - 1) * radius).toFixed(3)
  const y = +((1 - (event.clientY - box.top) / box.height * 2) * radius).toFixed(3)
  handle.style.left = `${50 * (1 + x / radius)}%`
  handle.style.bottom = `${50 * (1 + y / radius)}%`
  for (const line of arrow) {
    line.setAttribute("x2", x)
    line.setAttribute("y2", -y)
  }
  ask({q_x: [x], q_y: [y]})
})
slide.addEventListener("input", () => ask({tau: [+(10 ** slide.value).toPrecision(3)]}))
document.querySelector(".fig").dataset.ready = "true"
