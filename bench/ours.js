// Ties the probe to a page of ours, served or floor. Messages carry numbers: an answer has that of its question.
() => {
  for (const view of Bokeh.index) if (view.repainted) probe.watch(view)
  const wire = Bokeh.documents.map(doc => doc.get_model_by_name("wire")).find(Boolean)
  if (!wire) return  // the floor, which tells the probe itself
  const number = text => +/\d+/.exec(text)[0]
  wire.properties.up.change.connect(() => probe.sent(number(wire.up)))
  wire.properties.down.change.connect(() => probe.answered(number(wire.down)))
}
