// A projector enlarges a view as a whole. What a browser measures is in pixels of the page, and what is put into a place
// is in those of the view, each of which is as large as several.

function enlargementOf(element) {
  return element.currentCSSZoom ?? 1;
}

// The size of a box, or its distance from another, in pixels of the view that holds an element.
function within(element, { x, y, width, height }, from = { x: 0, y: 0 }) {
  const by = enlargementOf(element);
  return new DOMRect((x - from.x) / by, (y - from.y) / by, width / by, height / by);
}

// bqplot draws a figure in the size that it measures.
async function sizeFigures(ids, manager) {
  for (const id of ids) {
    if (!manager.has_model(id)) continue;
    const figure = await manager.get_model(id);
    for (const view of await Promise.all(Object.values(figure.views ?? {}))) {
      if (Object.hasOwn(view, "getFigureSize")) continue;
      const measure = view.getFigureSize;
      view.getFigureSize = () => within(view.el, measure.call(view));
      view.relayout();
    }
  }
}
