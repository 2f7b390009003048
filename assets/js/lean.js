// Bokeh gives a renderer five glyphs: the one that is seen, and copies of it for what is selected, not selected, muted or
// thinned out. All five follow every change of data, which is most of the time of a drag. Nothing in our pictures is
// ever selected, muted or thinned out, so here one glyph stands for all. tests/browser/test_lean.py watches what this
// relies on.
export function lean() {
  const {GlyphRenderer, GlyphRendererView} = Bokeh.require("models/renderers/glyph_renderer")
  if (GlyphRenderer.prototype.default_view !== GlyphRendererView) return  // done already
  const {DataRendererView} = Bokeh.require("models/renderers/data_renderer"), base = DataRendererView.prototype
  const {build_view} = Bokeh.require("core/build_views"), {VisualProperties} = Bokeh.require("core/visuals/visual")

  // At each paint, each line and area asks the style sheet for variables that could replace its colours. There are none
  // in ours (theme.py colours the models), and each question makes the browser compute styles.
  VisualProperties.prototype._get_css_value = () => ""

  GlyphRenderer.prototype.default_view = class extends GlyphRendererView {
    get selection_glyph() { return this.glyph }
    get nonselection_glyph() { return this.glyph }
    get muted_glyph() { return this.glyph }
    get decimated_glyph() { return this.glyph }

    async lazy_initialize() {
      await base.lazy_initialize.call(this)
      this.cds_view = await build_view(this.model.view, {parent: this})
      this.glyph = await this.build_glyph_view(this.model.glyph)
      await this.set_data()
    }

    children_views() { return [...base.children_views.call(this), this.cds_view, this.glyph] }

    remove() {
      this.cds_view.remove()
      this.glyph.remove()
      base.remove.call(this)
    }

    async set_data(changed) {
      this.all_indices = this.model.view.indices
      await this.glyph.set_data(this.model.data_source, this.all_indices, changed)
      await this.set_visuals()
      this._update_masked_indices()
      this.plot_view.invalidate_dataranges = true
    }

    async set_visuals() {
      this.glyph.set_visuals(this.model.data_source, this.all_indices)
      this.glyph.after_visuals()
      await this.glyph.after_lazy_visuals()
    }

    map_data() { this.glyph.map_data() }
  }
}
