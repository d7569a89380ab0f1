// Words in pictures: HTML that Python wrote, which lies over the plot. Its places are shares of the plot, so it stays
// right in a place of another size. Screen readers hear the picture's description in its stead.

// Lay their words over the views of these figures.
async function layLabels(labels, manager) {
  for (const [id, words] of Object.entries(labels)) {
    if (!manager.has_model(id)) continue;
    const figure = await manager.get_model(id);
    for (const view of await Promise.all(Object.values(figure.views ?? {}))) {
      const over = view.el.querySelector(".calibviz-words-over") ?? layer(view.el);
      if (over.dataset.words === words) continue;
      over.dataset.words = words;
      over.innerHTML = words;
    }
  }
}

function layer(figure) {
  const over = figure.appendChild(document.createElement("div"));
  over.className = "calibviz-words-over";
  over.setAttribute("aria-hidden", "true");
  return over;
}
