// Names of ticks that would lie on each other: of those that do not fit, only some are shown. Hints tell the others.

const BETWEEN = 4; // pixels between two names
const TURNED_APART = 13; // pixels between the ends of two turned names
const BESIDE = 8; // pixels that a name may begin before the axis does

/** @typedef {[SVGTextElement, DOMRect]} Placed */

function thinNames() {
  for (const axis of document.querySelectorAll(".calibviz-explorer .bqplot g.axis")) {
    const names = /** @type {SVGTextElement[]} */ ([...axis.querySelectorAll(".tick text")]);
    if (names.length < 2) continue;
    for (const name of names) if (name.style.display) name.style.display = "";
    const placed = names
      .map((name) => /** @type {Placed} */ ([name, name.getBoundingClientRect()]))
      .filter(([, box]) => box.width > 0)
      .sort(([, a], [, b]) => a.left - b.left);
    if (/rotate\((?!0\))/.test(names[0].getAttribute("transform"))) {
      thinTurned(placed);
      continue;
    }
    const isUpright = placed.length > 1 && Math.abs(placed[0][1].top - placed.at(-1)[1].top) > 1;
    const plot = axis.closest(".bqplot").querySelector(".plotarea_background")?.getBoundingClientRect();
    let end = (plot?.left ?? 0) - BESIDE - BETWEEN; // the numbers of the other axis begin there
    for (const [name, { left, right }] of isUpright ? [] : placed) {
      if (left < end + BETWEEN) name.style.display = "none";
      else end = right;
    }
  }
}

// Turned names end at their ticks, one line height apart at least.
/** @param {Placed[]} placed */
function thinTurned(placed) {
  let end = -Infinity;
  for (const [name, { right }] of placed.sort(([, a], [, b]) => a.right - b.right)) {
    if (right < end + TURNED_APART) name.style.display = "none";
    else end = right;
  }
}
