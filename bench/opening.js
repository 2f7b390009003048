// Notes when each figure of a page became ready: its controls answer, and the frame that shows it is done.
window.opening = {ready: {}, figures: () => [...document.querySelectorAll("[data-figure]")]}
new MutationObserver(changes => {
  for (const {target} of changes) {
    const {figure, ready} = target.dataset
    if (ready !== "true" || figure in opening.ready) continue
    requestAnimationFrame(() => requestAnimationFrame(() => { opening.ready[figure] ??= performance.now() }))
  }
}).observe(document, {subtree: true, attributes: true, attributeFilter: ["data-ready"]})
