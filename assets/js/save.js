// The figure as a file. What is on the screen, text as text and planes as vectors, becomes one SVG; a PNG is that SVG
// drawn twice as large.
const SVG = "http://www.w3.org/2000/svg"
const LEFT_OUT = ".presets, .goal-list, .own, .buttons, .actions, .fig-first, .coordinates, .sr, .katex-mathml, .problem, [hidden], input[type=checkbox], input[type=radio], .switch, .slide"
const FRAMED = ".stop[aria-pressed=true], .choice input:checked + span"  // a border all round says what is chosen
const MARGIN = 16

export async function saveSvg(el, name) {
  download(new Blob([await picture(el)], {type: "image/svg+xml"}), `${name}.svg`)
}

export async function savePng(el, name) {
  const image = new Image()
  image.src = URL.createObjectURL(new Blob([await picture(el)], {type: "image/svg+xml"}))
  try {
    await image.decode()
    const canvas = Object.assign(document.createElement("canvas"), {width: 2 * image.width, height: 2 * image.height})
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height)
    download(await new Promise(done => canvas.toBlob(done, "image/png")), `${name}.png`)
  } finally {
    URL.revokeObjectURL(image.src)
  }
}

export function saveCsv(name, text) {
  download(new Blob([text], {type: "text/csv;charset=utf-8"}), `${name}.csv`)
}

export function download(blob, name) {
  const link = Object.assign(document.createElement("a"), {href: URL.createObjectURL(blob), download: name})
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

export async function picture(el) {
  const box = el.getBoundingClientRect()
  const width = Math.ceil(box.width + 2 * MARGIN)
  const svg = make("svg", {xmlns: SVG})
  const families = new Set()
  const origin = {x: box.left - MARGIN, y: box.top - MARGIN}
  svg.append(make("rect", {width: "100%", height: "100%", fill: token("--paper")}))
  const bottom = {y: 0}
  walk(el, svg, origin, families, bottom)
  const height = Math.ceil(bottom.y - origin.y + MARGIN)
  for (const [key, value] of Object.entries({width, height, viewBox: `0 0 ${width} ${height}`})) svg.setAttribute(key, value)
  svg.prepend(make("style", {}, await fonts(families)))
  return new XMLSerializer().serializeToString(svg)
}

function walk(node, out, origin, families, bottom) {
  if (node.nodeType === Node.TEXT_NODE) return words(node, out, origin, families, bottom)
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(LEFT_OUT)) return
  const style = getComputedStyle(node), box = node.getBoundingClientRect()
  if (style.visibility === "hidden" || style.display === "none") return
  if (node.matches(".canvas")) return plane(node, out, origin, bottom)
  if (node instanceof SVGSVGElement) return shape(node, out, origin)
  if (node.matches("input.typed")) return field(node, out, origin, families, style, box)
  if (style.backgroundColor !== "rgba(0, 0, 0, 0)" && box.width && box.height)
    out.append(make("rect", {...place(box, origin), width: box.width, height: box.height, fill: style.backgroundColor}))
  if (node.matches(FRAMED))
    out.append(make("rect", {...place(box, origin), width: box.width, height: box.height, rx: 6, fill: "none",
      stroke: style.borderTopColor, "stroke-width": style.borderTopWidth}))
  else if (parseFloat(style.borderTopWidth) && style.borderTopStyle === "solid" && !node.matches(".grip, .piece, .stop, .choice span"))
    out.append(make("rect", {...place(box, origin), width: box.width, height: style.borderTopWidth, fill: style.borderTopColor}))
  if (node.matches(".picked-frame, .cell.at, .map-row, .map-at, .piece, .tile.at"))
    out.append(make("rect", {...place(box, origin), width: box.width, height: box.height, rx: 2, fill: "none",
      stroke: style.outlineColor, "stroke-width": style.outlineWidth}))
  const onTop = child => child.classList?.contains("at") ? 1 : 0  // what is marked, with its outline, over its neighbours
  for (const child of [...node.childNodes].sort((a, b) => onTop(a) - onTop(b))) walk(child, out, origin, families, bottom)
}

const place = (box, origin) => ({x: box.left - origin.x, y: box.top - origin.y})

const measure = document.createElement("canvas").getContext("2d")

function words(node, out, origin, families, bottom) {
  const style = getComputedStyle(node.parentElement)
  for (const {0: word, index} of node.data.matchAll(/\S+/g)) {
    const range = document.createRange()
    range.setStart(node, index)
    range.setEnd(node, index + word.length)
    const box = range.getBoundingClientRect()
    if (!box.width) continue
    out.append(text(word, box.left - origin.x, box, style, origin, families))
    bottom.y = Math.max(bottom.y, box.bottom)
  }
}

function text(word, x, box, style, origin, families, anchor = "start") {
  measure.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
  const {fontBoundingBoxAscent: up, fontBoundingBoxDescent: down} = measure.measureText(word)
  const baseline = box.top + (box.height - up - down) / 2 + up
  families.add(style.fontFamily.split(",")[0].replaceAll('"', "").trim())
  return make("text", {
    x, y: baseline - origin.y, fill: style.color, "text-anchor": anchor,
    "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight,
    "font-style": style.fontStyle, "letter-spacing": style.letterSpacing === "normal" ? 0 : style.letterSpacing,
    style: `font-variant-numeric:${style.fontVariantNumeric}`,
  }, word)
}

function field(input, out, origin, families, style, box) {
  out.append(text(input.value, box.right - parseFloat(style.paddingRight) - origin.x, box, style, origin, families, "end"))
}

// Bokeh draws its plot once more, this time as vectors.
function plane(slot, out, origin, bottom) {
  const view = [...Bokeh.index].find(each => slot.contains(each.el))  // ids of two sessions may be the same
  const drawn = view.export("svg").ctx.get_svg()
  const box = slot.getBoundingClientRect()
  const held = make("svg", {...place(box, origin), width: box.width, height: box.height,
    viewBox: `0 0 ${drawn.getAttribute("width")} ${drawn.getAttribute("height")}`})
  held.append(...[...drawn.childNodes].map(child => child.cloneNode(true)))
  out.append(held)
  bottom.y = Math.max(bottom.y, box.bottom)
}

const PAINT = ["fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity", "stroke-linecap", "stroke-dasharray", "vector-effect"]

function shape(svg, out, origin) {
  const box = svg.getBoundingClientRect(), copy = svg.cloneNode(true)
  const originals = [svg, ...svg.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")]
  originals.forEach((original, i) => {
    const style = getComputedStyle(original)
    copies[i].setAttribute("style", PAINT.map(name => `${name}:${style.getPropertyValue(name)}`).join(";"))
  })
  for (const [key, value] of Object.entries({...place(box, origin), width: box.width, height: box.height}))
    copy.setAttribute(key, value)
  copy.style.overflow = getComputedStyle(svg).overflow
  out.append(copy)
}

// The font files that the page loaded for these families, inside the picture, so that it looks the same elsewhere.
async function fonts(families) {
  const faces = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules].map(rule => ({sheet, rule})))
    .filter(({rule}) => rule instanceof CSSFontFaceRule)
    .filter(({rule}) => families.has(rule.style.getPropertyValue("font-family").replaceAll('"', "").trim()))
  const rules = await Promise.all(faces.map(async ({sheet, rule}) => {
    const address = new URL(rule.style.getPropertyValue("src").match(/url\("?([^")]+)"?\)/)[1], sheet.href ?? document.baseURI)
    const blob = await (await fetch(address)).blob()
    const data = await new Promise(done => {
      const reader = new FileReader()
      reader.onload = () => done(reader.result)
      reader.readAsDataURL(blob)
    })
    return rule.cssText.replace(/url\("?[^")]+"?\)/, `url(${data})`)
  }))
  return rules.join("\n")
}

export const token = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

function make(tag, attributes, content) {
  const node = document.createElementNS(SVG, tag)
  for (const [key, value] of Object.entries(attributes)) if (key !== "xmlns") node.setAttribute(key, value)
  if (content !== undefined) node.textContent = content
  return node
}
