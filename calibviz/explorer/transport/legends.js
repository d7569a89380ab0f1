// Legends of one line: a button, which is there only where something does not fit, shows all of it and folds it again.

const UNFOLDED = "is-unfolded"; // a class of the widget, which stays when its text is written anew

function foldLegends() {
  for (const legend of document.querySelectorAll(".calibviz-explorer .calibviz-legend")) {
    const [keys, button] = /** @type {HTMLElement[]} */ ([...legend.children]);
    if (!button.dataset.isFollowed) {
      button.dataset.isFollowed = "true";
      button.dataset.lmSuppressShortcuts = "true";
      button.addEventListener("click", () => {
        legend.parentElement.parentElement.classList.toggle(UNFOLDED);
        fold(legend, keys, button);
      });
      new ResizeObserver(() => fold(legend, keys, button)).observe(legend);
    }
    fold(legend, keys, button);
  }
}

function fold(legend, keys, button) {
  const isUnfolded = legend.parentElement?.parentElement?.classList.contains(UNFOLDED);
  const items = /** @type {HTMLElement[]} */ ([...keys.children]);
  const fits = items.every((item) => item.offsetTop === items[0].offsetTop && item.scrollWidth <= item.clientWidth);
  if (button.hidden !== fits) button.hidden = fits;
  set(button, "aria-expanded", String(Boolean(isUnfolded)));
}
