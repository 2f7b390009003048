// Colours along a scale, mixed from colour tokens in equal steps, the same as figures/ramp.py (a browser test compares).
const STEPS = 101

// stops: "neg>paper>pos", or "on:neg>paper>pos" for black or white, what reads better on each; token gives a colour.
export function palette(stops, token) {
  if (stops.startsWith("on:")) return palette(stops.slice(3), token).map(colour => onTop(colour))
  const points = stops.split(">").map(name => channels(token(name)))
  return Array.from({length: STEPS}, (_, step) => {
    const at = step * (points.length - 1) / (STEPS - 1), left = Math.min(Math.floor(at), points.length - 2)
    const mixed = points[left].map((a, c) => Math.floor(a + (points[left + 1][c] - a) * (at - left) + 0.5))
    return "#" + mixed.map(value => value.toString(16).padStart(2, "0")).join("")
  })
}

const channels = colour => [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16))

function onTop(colour) {
  const [r, g, b] = channels(colour).map(value => value / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
  return light / 0.05 > 1.05 / light ? "#000000" : "#ffffff"
}
