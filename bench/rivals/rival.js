// Ties the probe to a page whose messages we do not know: what is asked for is read from its controls, what is shown
// from the title of its picture.
() => {
  const asked = () => {
    const slider = document.querySelector("[role=slider], input[type=range]")
    const beta = +(slider.getAttribute("aria-valuenow") ?? slider.value)
    return `beta ${beta.toFixed(2)}, causal ${document.querySelector("input[type=checkbox]").checked}`
  }
  const shown = () => document.querySelector(".js-plotly-plot .gtitle")?.textContent ?? ""
  let lastAsked = asked(), lastShown = shown()
  const look = () => {
    const wish = asked(), picture = shown()
    if (wish !== lastAsked) probe.sent(lastAsked = wish)
    if (picture && picture !== lastShown) probe.answered(lastShown = picture)
  }
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true})
  addEventListener("change", look, true)  // `checked` is no attribute
}
