// One state of a figure as a page that stands alone, for slides and handouts: the picture, the sentence, the numbers and
// the way back to the live figure. No script in it, and nothing to load.
import {linkOf} from "./address.js"
import {download, picture, token} from "./save.js"

const LONG = 60  // rows; a longer table stands in columns, so that all of it fits on a page

export async function saveSheet(figure, numbers) {
  const svg = await picture(figure.$(".trio"))
  download(new Blob([sheet(figure, svg, numbers)], {type: "text/html;charset=utf-8"}), `${figure.slug}.html`)
}

function sheet(figure, svg, numbers) {
  const words = selector => escape(figure.$(selector).textContent), link = linkOf(figure.slug, figure.query)
  const title = `${words(".fig-no")}: ${words(".fig-title")}`, date = new Date().toLocaleDateString("sv")  // 2026-12-31
  const long = numbers.split("<tr>").length > LONG
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Attention Lab</title>
<style>${style()}</style>
</head>
<body>
<h1>${title}</h1>
<figure>${svg.replace("<svg ", `<svg role="img" aria-label="${title}" `)}
<figcaption>${escape(figure.description)}</figcaption></figure>
<section${long ? ' class="long"' : ""} aria-label="Numbers behind the picture">${numbers}</section>
<footer><p>Live figure in this state: <a href="${escape(link)}">${escape(link)}</a></p>
<p>Attention Lab, saved on <time>${date}</time>.</p></footer>
</body>
</html>
`
}

// On paper the words are black, whatever the picture wears.
const style = () => `
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; font: 400 1rem/1.45 Inter, system-ui, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; background: ${token("--paper")}; color: ${token("--ink")}; }
h1 { margin: 0 0 1rem; font-size: 1.25rem; font-weight: 600; }
figure { margin: 0; } figure > svg { display: block; max-width: 100%; height: auto; font-variant-numeric: normal; letter-spacing: 0; text-rendering: geometricPrecision; }
figcaption { margin: 1rem 0; max-width: 42rem; }
section { overflow-x: auto; font-size: .8125rem; line-height: 1.35; overflow-wrap: normal; }
table { border-collapse: collapse; } th, td { padding: .1rem .9rem .1rem 0; font-weight: 400; text-align: right; white-space: nowrap; }
thead th { border-bottom: 1px solid; } th:first-child { text-align: left; } a { color: inherit; }
footer { margin-top: 1rem; font-size: .8125rem; } footer p { margin: 0; }
@page { margin: 12mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; background: none; color: #000; }
  h1 { margin-bottom: 2mm; font-size: 13pt; } figure > svg { max-height: 90mm; } figcaption { margin: 2mm 0; max-width: none; }
  section { overflow: visible; font-size: 6pt; line-height: 1.2; } section.long { columns: 2; }
  th, td { padding: 0 2.5mm 0 0; } footer { margin-top: 2mm; font-size: 7.5pt; }
}
`

const escape = text => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
