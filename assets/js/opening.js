// While the lesson opens, what comes after the first figure is not laid out (lesson.css), so that the text and this figure
// are there sooner. It ends when the figure answers, when the reader does anything, or after some seconds.
const root = document.documentElement, ACTS = ["pointerdown", "keydown", "wheel", "touchstart", "scroll", "hashchange", "beforeprint"]

export const opened = new Promise(done => {
  function end() {
    for (const act of ACTS) removeEventListener(act, end, {capture: true})
    delete root.dataset.opening
    done()
  }
  if (!("opening" in root.dataset)) return done()
  for (const act of ACTS) addEventListener(act, end, {capture: true, passive: true})
  const answered = () => setTimeout(end, 200)  // it is to be seen first: what comes now keeps the page busy for a while
  new MutationObserver(answered).observe(document.querySelector("[data-figure]"), {attributeFilter: ["data-ready"]})
  setTimeout(end, 5000)
})
