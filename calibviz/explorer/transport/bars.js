// Bars that are the closed outlines of one line: where each of them stands, and a stop of the Tab key on one of them, from
// which the arrow keys lead to the others.

const CORNERS = 6; // vertices of the line for each bar: four corners, the first one again, and a gap
const ALONG = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity };
const barViews = new WeakSet(); // the views of marks whose vertices are bars

// The box of a bar in pixels of its mark; null where the mark has no such bar.
function barAt(view, place) {
  if (!barViews.has(view)) return null;
  const corners = view.model.mark_data[0]?.values.slice(CORNERS * place, CORNERS * place + 4) ?? [];
  if (corners.length < 4) return null;
  const { x: across, y: up } = view.scales;
  const xs = corners.map(({ x }) => across.scale(x) + across.offset);
  const ys = corners.map(({ y }) => up.scale(y) + up.offset);
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

function barsOf(view) {
  const bars = [];
  if (!barViews.has(view) || !view.model.get("visible")) return bars;
  for (let place = 0, bar; (bar = barAt(view, place)); place += 1) bars.push(bar);
  return bars;
}

function outlineOf({ left, right, top, bottom }) {
  const outline = document.createElementNS(SVG, "path");
  outline.setAttribute("d", `M${left},${top}H${right}V${bottom}H${left}Z`);
  outline.style.fill = "none";
  return outline;
}

// Let keys walk along the bars of a figure: `point` hears on which one they are, or that they left (null), `choose` which
// one is chosen. Returns how to lay the stop anew, to show what it is on, whether it has the focus, and to say words.
function walkBars(figure, marks, point, choose) {
  const stop = figure.appendChild(document.createElement("div"));
  stop.className = "calibviz-bar-stop";
  stop.dataset.lmSuppressShortcuts = "true";
  const attributes = { role: "slider", tabindex: "0", "aria-label": "bar; Enter looks at it", "aria-valuemin": "1" };
  for (const [name, value] of Object.entries(attributes)) set(stop, name, value);
  let at = 0;
  const inOrder = () => marks
    .flatMap(({ view, id }) => barsOf(view).map((bar, place) => ({ view, mark: id, place, bar })))
    .sort((a, b) => a.bar.left - b.bar.left);
  const lay = () => {
    const bars = inOrder();
    at = Math.max(0, Math.min(at, bars.length - 1));
    stop.hidden = !bars.length;
    if (!bars.length) return null;
    const { view, bar } = bars[at];
    const own = view.el.getScreenCTM();
    if (own) {
      const { x, y } = within(figure, new DOMRect(own.e, own.f), figure.getBoundingClientRect());
      stop.style.left = `${x + bar.left}px`;
      stop.style.top = `${y + bar.top}px`;
      stop.style.width = `${bar.right - bar.left}px`;
      stop.style.height = `${bar.bottom - bar.top}px`;
    }
    set(stop, "aria-valuenow", String(at + 1));
    set(stop, "aria-valuemax", String(bars.length));
    return bars[at];
  };
  const show = () => {
    const bar = lay();
    if (!bar) return;
    const { offsetLeft: left, offsetWidth: width } = stop;
    point(bar, left + width / 2 < figure.clientWidth / 2 ? left + width : left, stop.offsetTop);
  };
  stop.addEventListener("focus", show);
  stop.addEventListener("blur", () => point(null));
  stop.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      const bar = lay();
      if (bar && !event.repeat) choose(bar);
    } else if (event.key in ALONG) {
      at = Math.max(0, Math.min(at + ALONG[event.key], inOrder().length - 1));
      show();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  lay();
  const isFocused = () => document.activeElement === stop;
  return { lay, show, isFocused, say: (words) => set(stop, "aria-valuetext", words) };
}
