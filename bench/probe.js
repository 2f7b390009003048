// Notes inputs, and the frames that show what came of them, in every page alike. The docstring of bench says how.
window.probe = (() => {
  let inputs = [], paints = [], waits = [], lastPaint = 0
  let raw = "", tells = ""  // the event that brings an input, and the one that tells that it moved a control
  let newest = null         // the last event that may be an input
  let forgotten = 0
  const pending = new Set() // pictures that must be painted anew

  // Before the page hears of it: when the browser got each input, also those that it merged into one event.
  function note(event) {
    if (event.type !== raw) return
    newest = event
    const merged = event.getCoalescedEvents?.() ?? []
    for (const {timeStamp} of merged.length ? merged : [event]) inputs.push({time: timeStamp, key: null, event, real: false})
  }

  // This one is an input: the control has moved.
  function settle(event) {
    if (event.type !== tells) return
    for (let i = inputs.length; i-- && inputs[i].event === newest;) inputs[i].real = true
  }

  for (const type of ["pointermove", "click", "keydown"]) addEventListener(type, note, true)
  for (const type of ["pointermove", "click", "keydown", "input", "change"]) addEventListener(type, settle, true)

  // The page has asked for what all inputs so far want; the answer will be known by this key.
  function sent(key) {
    for (let i = inputs.length; i-- && inputs[i].key === null;) inputs[i].key = key
  }

  // This answer is not worth measuring.
  function forget(key) {
    for (const input of inputs) if (input.key === key) input.dropped = true
    forgotten += 1
  }

  // The page holds the answer; it is shown when every picture that changed has been painted, or else in the next frame.
  function answered(key, then = () => {}) {
    if (pending.size) waits.push({key, then, views: new Set(pending)})
    else requestAnimationFrame(() => ended([{key, then}]))
  }

  function watch(view) {
    const schedule = view.schedule_paint
    view.schedule_paint = function () {
      pending.add(view)
      return schedule.call(this)
    }
    view.repainted.connect(() => {
      pending.delete(view)
      for (const {views} of waits) views.delete(view)
      const done = waits.filter(({views}) => !views.size)
      waits = waits.filter(({views}) => views.size)
      if (done.length) ended(done)
    })
  }

  // A message posted inside an animation frame comes back when the frame has been laid out, painted and handed over.
  function ended(answers) {
    const {port1, port2} = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      lastPaint = performance.now()
      for (const {key, then} of answers) {
        paints.push({time: lastPaint, key})
        then()
      }
    }
    port2.postMessage(null)
  }

  const sleep = ms => new Promise(done => setTimeout(done, ms))

  function shown() {
    const last = inputs.findLast(({real, dropped}) => real && !dropped)
    return !last || paints.some(({key, time}) => key === last.key && time > last.time)
  }

  return {
    sent, forget, answered, watch,
    start(...events) { [[raw, tells], inputs, paints, newest, forgotten] = [events, [], [], null, 0] },
    take: () => ({
      inputs: inputs.filter(({real, dropped}) => real && !dropped).map(({time, key}) => ({time, key})), paints, forgotten,
    }),
    // Until the last input is shown and nothing was painted for a while; false if that never happens.
    async idle(quiet, patience) {
      for (const end = performance.now() + patience; performance.now() < end; await sleep(8)) {
        const busy = document.documentElement.dataset.busy === "true"
        if (!busy && shown() && performance.now() - lastPaint > quiet) return true
      }
      return false
    },
  }
})()
