"use strict";
// Dots that tell what they are, series that come and go, code to copy. Without it the page reads as well.

// Only what scrolls needs a stop of its own, from which the arrow keys can scroll it.
const watch = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const target = /** @type {HTMLElement} */ (entry.target);
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
enliven(document);

/** Make the figures below a node answer. */
function enliven(root) {
  for (const figure of root.querySelectorAll("figure")) {
    const plots = /** @type {HTMLElement} */ (figure.querySelector(".plots"));
    if (plots.tabIndex === 0) tell(plots);
    for (const button of figure.querySelectorAll(".legend button")) {
      const all = /** @type {NodeListOf<SVGElement>} */ (figure.querySelectorAll(".series"));
      const series = [...all].filter((one) => one.dataset.series === button.textContent);
      button.addEventListener("click", () => {
        const isShown = button.getAttribute("aria-pressed") === "false";
        button.setAttribute("aria-pressed", String(isShown));
        for (const one of series) one.classList.toggle("off", !isShown);
      });
    }
  }
  for (const table of root.querySelectorAll(".table")) watch.observe(table);
}

// The mouse tells the dot below it; the arrow keys lead from one to the next.
function tell(plots) {
  const hints = new Map();
  for (const title of plots.querySelectorAll(".dot > title")) {
    hints.set(title.parentNode, title.textContent);
    title.remove(); // or the browser would tell it a second time
  }
  const tip = document.createElement("p");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  plots.append(tip);
  let current = null;

  function show(dot) {
    current?.classList.remove("pointed");
    current = dot;
    tip.textContent = dot ? hints.get(dot) : "";
    if (!dot) return;
    dot.classList.add("pointed");
    const [box, place] = [plots.getBoundingClientRect(), dot.getBoundingClientRect()];
    const [across, down] = [place.left + place.width / 2 - box.left, place.top - box.top];
    const left = Math.min(Math.max(0, across - tip.offsetWidth / 2), box.width - tip.offsetWidth);
    const above = down - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${above >= 0 ? above : down + place.height + 8}px`;
  }

  plots.addEventListener("pointerover", (event) => {
    const dot = event.target.closest(".dot");
    show(hints.has(dot) ? dot : null);
  });
  plots.addEventListener("pointerleave", () => show(null));
  plots.addEventListener("blur", () => show(null));
  plots.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") show(null);
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    const left = (dot) => dot.getBoundingClientRect().left; // bins of few samples are a series of their own
    const dots = [...hints.keys()].filter((dot) => !dot.closest(".off")).sort((a, b) => left(a) - left(b));
    if (!dots.length) return;
    const at = dots.indexOf(current);
    show(at < 0 ? dots.at(step > 0 ? 0 : -1) : dots[(at + step + dots.length) % dots.length]);
    event.preventDefault();
  });
}

/** @type {NodeListOf<HTMLElement>} */
const copiers = document.querySelectorAll("[data-copies]");
for (const button of copiers) {
  button.addEventListener("click", async () => {
    const code = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code); // not every browser lets a page from the disk write the clipboard
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}
