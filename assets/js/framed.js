// A figure in a page of somebody else: it tells that page its height, takes a state from it, and leads to the lesson.
const root = document.documentElement

export function talkToParent(sessions) {
  if (window.parent === window) return
  tellHeight([...sessions.keys()])
  listen("figure-state", ({knobs}) => {
    const texts = Object.entries(knobs ?? {})
      .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value)).map(([knob, value]) => [knob, String(value)])
    for (const [slug, session] of sessions) session.gate.put(slug, {knobs: Object.fromEntries(texts)})
  })
  leadToLesson()
}

// Only from the window that frames us, and only if the browser does not name another embedder than the sender: by
// ancestorOrigins, else by the referrer. Where it names none ("null" is none), the window alone counts.
function listen(type, act) {
  const embedder = location.ancestorOrigins?.[0] ?? (document.referrer && new URL(document.referrer).origin)
  addEventListener("message", ({source, origin, data}) => {
    if (source !== window.parent || data?.type !== type) return
    if (!embedder || embedder === "null" || embedder === origin) act(data)
  })
}

function tellHeight(slugs) {
  let told = Infinity, timer = 0
  // A page that follows our height needs no scroll bar, not even for the moment until it has followed.
  const fits = () => root.toggleAttribute("data-fits", innerHeight >= told)
  const tell = () => {
    if (!innerWidth) return  // not on display
    told = Math.ceil(document.body.getBoundingClientRect().height)
    for (const slug of slugs) window.parent.postMessage({type: "figure-height", slug, height: told}, "*")
    clearTimeout(timer)
    timer = setTimeout(fits, 1000)
  }
  addEventListener("resize", () => { if (innerHeight >= told) fits() })
  new ResizeObserver(tell).observe(document.body)
  listen("figure-ask", tell)
}

// The same state, in the lesson.
function leadToLesson() {
  const link = document.querySelector("[data-lesson]"), figure = document.querySelector("[data-figure]")
  const home = link.href, slug = figure.dataset.figure
  const aim = () => {
    const query = figure.dataset.query.split("&").filter(Boolean).map(pair => `${slug}.${pair}`).join("&")
    link.href = `${home}${query && `?${query}`}#${figure.id}`
  }
  aim()
  new MutationObserver(aim).observe(figure, {attributeFilter: ["data-query"]})
}
