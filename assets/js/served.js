// Figures that a server computes: messages go through a Bokeh model, changed columns come with Bokeh's own patches.
export function served({doc, gate, figures, notice, tied}) {
  function tie() {
    const wire = doc.get_model_by_name("wire")
    wire.properties.down.change.connect(() => gate.answer(JSON.parse(wire.down)))
    tied()
    gate.connect(message => { wire.up = JSON.stringify(message) })
  }

  doc.on_event("connection_lost", (_doc, event) => {
    gate.disconnect()
    // null: Bokeh gives up. The state is in the address, so a fresh page shows it again.
    if (event.timeout === null) notice("The server does not answer. Your state is kept in the address.", () => location.reload())
    else notice("Connection lost. The figure waits for the server and goes on by itself.")
  })
  // Bokeh then has pulled a fresh document, or the server has even made a new one: it gets the state of this page.
  doc.on_event("client_reconnected", () => {
    notice("")
    for (const [slug, figure] of figures) gate.restore(slug, {...figure.texts})
    tie()
  })

  tie()
}
