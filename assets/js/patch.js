// Make an element say this HTML by changing only what differs. Nodes stay where they are, and with them focus, selection
// and most of the layout.
const parser = document.createElement("template")

export function patch(el, html) {
  parser.innerHTML = html
  align(el, parser.content)
}

function align(now, wanted) {
  const old = [...now.childNodes], fresh = [...wanted.childNodes]
  fresh.forEach((node, i) => {
    if (!old[i]) now.append(node)
    else if (old[i].nodeName !== node.nodeName) old[i].replaceWith(node)
    else if (!old[i].isEqualNode(node)) turn(old[i], node)
  })
  for (const node of old.slice(fresh.length)) node.remove()
}

function turn(now, wanted) {
  if (now.nodeType !== Node.ELEMENT_NODE) {
    now.data = wanted.data
    return
  }
  for (const {name} of [...now.attributes]) if (!wanted.hasAttribute(name)) now.removeAttribute(name)
  for (const {name, value} of wanted.attributes) if (now.getAttribute(name) !== value) now.setAttribute(name, value)
  align(now, wanted)
}
