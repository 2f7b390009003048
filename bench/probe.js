// Notes inputs and paintings, in our page and in the floor alike. The docstring of bench says how this measures.
window.probe = (() => {
  let inputs = [], paints = [], tells = "", lastInput = 0, lastPaint = 0

  // What the hand asks for, as the page shows it: place of the handle in percent, place of the slider.
  const asked = () => {
    const {left, bottom} = document.querySelector(".handles-query .handle").style
    return [parseFloat(left), parseFloat(bottom), +document.querySelector("input.slide[data-knob=tau]").value]
  }

  // First of all listeners: when the browser got each move, also those that it merged into this event.
  addEventListener("pointermove", event => {
    const merged = event.getCoalescedEvents()
    for (const {timeStamp} of merged.length ? merged : [event]) inputs.push({time: timeStamp, asked: null})
    lastInput = performance.now()
  }, true)

  // Last of all listeners: what the moves so far have come to. A slider tells it in the `input` event that follows.
  const settle = event => {
    if (event.type !== tells) return
    const state = asked()
    for (let i = inputs.length; i-- && inputs[i].asked === null;) inputs[i].asked = state
  }
  addEventListener("pointermove", settle)
  addEventListener("input", settle)

  function watch(plot, source) {
    const [doc] = Bokeh.documents, model = doc.get_model_by_name(plot), view = Bokeh.index.find_one(model)
    const glyph = view.views.get_one(model.renderers.findLast(r => r.data_source?.name === source)).glyph
    view.repainted.connect(() => {
      const drawn = [glyph.x[0], glyph.y[0]], after = new MessageChannel()
      after.port1.onmessage = () => {
        after.port1.close()
        lastPaint = performance.now()
        paints.push({time: lastPaint, drawn})
      }
      after.port2.postMessage(null)
    })
  }

  const sleep = ms => new Promise(done => setTimeout(done, ms))

  return {
    watch,
    start(event) { [inputs, paints, tells] = [[], [], event] },
    take: () => ({inputs: inputs.filter(input => input.asked), paints}),
    // Until the last input has been answered and nothing was painted for a while; false if that never happens.
    async idle(quiet, patience) {
      for (const end = performance.now() + patience; performance.now() < end; await sleep(10)) {
        const busy = document.documentElement.dataset.busy === "true"
        if (!busy && lastPaint > lastInput && performance.now() - lastPaint > quiet) return true
      }
      return false
    },
  }
})()
