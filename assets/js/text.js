// Numbers and points as text, the same forms as figures/knobs.py and figures/parts.py (a browser test compares them).
export const MINUS = "\u2212"

// What a label shows: 3 decimals, a real minus sign, never "0.000" for what is not 0.
export function num(value, places = 3) {
  const size = Math.abs(value)
  if (size && (size < 5e-4 || size >= 1e6)) return value.toExponential(1).replace("+", "").replaceAll("-", MINUS)
  const text = value.toFixed(places)
  return (+text === 0 ? text.replace("-", "") : text).replace("-", MINUS)  // no "−0.00"
}

// The same without zeros at the end, as a person would write it down.
export const short = value => num(value).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "")

// Shortest text that gives this number back.
export const plain = value => String(value || 0)

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value))

export const readPoints = text => text.split(";").map(pair => pair.split(",").map(Number))

export const writePoints = points => points.map(point => point.map(plain).join(",")).join(";")
