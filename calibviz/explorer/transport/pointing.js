// What is pointed at in one place, or has the focus there, is marked in every picture of the view that has its score:
// a line across it, and in the reliability diagram a diamond with its interval. Dots and bars of the classes that are
// pointed at get a ring, and rows of tables a frame (table.js). No message goes to the kernel.

const SVG = "http://www.w3.org/2000/svg";
const POINT = "calibviz:point";
const DIAMOND = 7; // pixels from the middle to a corner
const RING = 7; // pixels, its radius
const scoresAt = new WeakMap(); // the scores at evenly spread places of the x axis, by the view of the figure

// Tell the view around an element that somebody points at a score, at classes, or at nothing (null).
function pointAt(element, point) {
  element.closest(".calibviz-explorer")?.dispatchEvent(new CustomEvent(POINT, { detail: point }));
}

// Let every view of these figures follow what is pointed at elsewhere.
async function followPointing(scores, manager) {
  for (const [id, at] of Object.entries(scores)) {
    if (!manager.has_model(id)) continue;
    const figure = await manager.get_model(id);
    for (const view of await Promise.all(Object.values(figure.views ?? {}))) {
      const root = view.el.closest(".calibviz-explorer");
      if (!root) continue; // not on the page yet
      if (!scoresAt.has(view)) listen(root, view);
      followCards(root);
      scoresAt.set(view, at);
    }
  }
}

function listen(root, view) {
  let latest = null;
  const follow = async ({ detail }) => {
    if (!view.el.isConnected) return root.removeEventListener(POINT, follow);
    latest = detail;
    const marks = await Promise.all(view.mark_views?.views ?? []);
    view.el.querySelector(".calibviz-pointed")?.remove();
    const mark = marks.find(({ scales }) => scales?.x && scales?.y);
    if (latest === detail && detail && detail.from !== view.el && mark) drawPoint(view, mark, detail);
  };
  root.addEventListener(POINT, follow);
  view.listenTo(view, "margin_updated", () => latest && follow({ detail: latest })); // its scales are other ones now
}

const withCards = new WeakSet(); // the Explorers whose cards are followed

// Point at what the card of a question is about while somebody points at the card, or it has the focus.
function followCards(root) {
  if (withCards.has(root)) return;
  withCards.add(root);
  const cardOf = ({ target }) => target.closest(".calibviz-question");
  const follow = (event) => {
    const about = cardOf(event)?.querySelector("[data-point]");
    if (about) pointAt(root, JSON.parse(about.dataset.point));
  };
  const leave = (event) => {
    const card = cardOf(event);
    if (card && (event.type === "click" || !card.contains(event.relatedTarget))) pointAt(root, null);
  };
  for (const type of ["pointerover", "focusin"]) root.addEventListener(type, follow);
  for (const type of ["pointerout", "focusout", "click"]) root.addEventListener(type, leave);
}

function drawPoint(view, { el, scales: { x: across, y: up } }, { score, target, low, high }) {
  const place = score === undefined ? null : placeOf(score, scoresAt.get(view));
  if (place == null) return;
  const x = across.scale(place) + across.offset;
  const group = document.createElementNS(SVG, "g");
  group.classList.add("calibviz-pointed");
  const add = (d) => {
    const path = group.appendChild(document.createElementNS(SVG, "path"));
    path.setAttribute("d", d);
  };
  if (target === undefined || !view.el.classList.contains("calibviz-reliability")) {
    const [bottom, top] = up.scale.range();
    add(`M${x},${bottom}V${top}`);
  } else {
    const [y, lowest, highest] = [target, low ?? target, high ?? target].map((value) => up.scale(value) + up.offset);
    add(`M${x},${lowest}V${highest}`);
    add(`M${x - DIAMOND},${y}L${x},${y - DIAMOND}L${x + DIAMOND},${y}L${x},${y + DIAMOND}Z`);
  }
  el.parentNode.append(group);
}

const followers = new WeakSet(); // the views of marks that follow classes

// Let the dots of a mark follow classes that are pointed at elsewhere.
function followClasses(view) {
  const root = view.el.closest(".calibviz-explorer");
  if (!root || followers.has(view)) return;
  followers.add(view);
  let now = null;
  const light = () => {
    view.el.querySelector(":scope > .calibviz-pointed")?.remove();
    if (!now?.classes?.length || now.from === view.parent.el || !view.model.get("visible")) return;
    const { x: across, y: up } = view.scales;
    const group = document.createElementNS(SVG, "g");
    group.classList.add("calibviz-pointed");
    (view.model.get("classes") ?? []).forEach((classes, place) => {
      if (!classes.some((c) => now.classes.includes(c))) return;
      const bar = barAt(view, place);
      if (bar) return group.append(outlineOf(bar));
      const dot = view.model.mark_data[0]?.values[place];
      if (!dot) return;
      const ring = group.appendChild(document.createElementNS(SVG, "circle"));
      ring.setAttribute("cx", across.scale(dot.x) + across.offset);
      ring.setAttribute("cy", up.scale(dot.y) + up.offset);
      ring.setAttribute("r", String(RING));
    });
    if (group.childElementCount) view.el.append(group);
  };
  const follow = ({ detail }) => {
    if (!view.el.isConnected) return root.removeEventListener(POINT, follow);
    now = detail;
    light();
  };
  root.addEventListener(POINT, follow);
  view.listenTo(view.model, "data_updated", light);
  view.listenTo(view.parent, "margin_updated", light);
}

// Where a score stands on the x axis; null where it does not.
function placeOf(score, { scores, low, high }) {
  const last = scores.length - 1;
  const after = scores.findIndex((value) => value >= score);
  if (after < 0 || score < scores[0]) return null;
  const before = Math.max(0, after - 1);
  const part = scores[after] > scores[before] ? (score - scores[before]) / (scores[after] - scores[before]) : 0;
  return low + ((high - low) * (before + part)) / last;
}

// The score at a place of the x axis; null where there is none.
function scoreOf(x, axis) {
  if (!axis) return null;
  const { scores, low, high } = axis;
  const at = ((x - low) / (high - low)) * (scores.length - 1);
  const before = Math.max(0, Math.min(Math.floor(at), scores.length - 2));
  return scores[before] + (at - before) * (scores[before + 1] - scores[before]);
}
