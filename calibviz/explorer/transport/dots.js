// Dots of lines, however many: markers on the vertices of the one path that bqplot draws, and which one is pointed at.
// (A mark of bqplot's with an element for every dot moves each of them in transitions of its own.)

const SVG = "http://www.w3.org/2000/svg";
const REACH = 12; // pixels

const SHAPES = {
  circle: (area) => {
    const r = Math.sqrt(area / Math.PI);
    return `M${r},0A${r},${r} 0 1,1 ${-r},0A${r},${r} 0 1,1 ${r},0Z`;
  },
  square: (area) => polygon([[1, 1], [1, -1], [-1, -1], [-1, 1]], Math.sqrt(area) / 2),
  diamond: (area) => polygon([[1, 0], [0, -Math.sqrt(3)], [-1, 0], [0, Math.sqrt(3)]], Math.sqrt(area / Math.sqrt(12))),
  "triangle-up": (area) => triangle(area, 1),
  "triangle-down": (area) => triangle(area, -1),
  cross: (area) => {
    const arms = [[3, 1], [1, 1], [1, 3], [-1, 3], [-1, 1], [-3, 1], [-3, -1], [-1, -1], [-1, -3], [1, -3], [1, -1], [3, -1]];
    return polygon(arms, Math.sqrt(area / 20));
  },
};

function triangle(area, up) {
  const half = Math.sqrt(area / Math.sqrt(27));
  return polygon([[0, -2 * up], [Math.sqrt(3), up], [-Math.sqrt(3), up]], half);
}

function polygon(corners, scale) {
  return `M${corners.map(([x, y]) => `${x * scale},${y * scale}`).join("L")}Z`;
}

// Give every view of the marks in `dots` its dots; `tell` hears which one is pointed at or clicked.
async function drawDots(dots, manager, tell) {
  await Promise.all(
    Object.entries(dots).filter(([id]) => manager.has_model(id)).map(async ([id, dot]) => {
      const mark = await manager.get_model(id);
      for (const view of await Promise.all(Object.values(mark.views ?? {}))) {
        if (!view.el.querySelector(":scope > marker")) draw(view, id, dot, tell);
      }
    }),
  );
}

function draw(view, id, { marker, size, colour, filled }, tell) {
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", SHAPES[marker](size));
  shape.style.fill = filled ? colour : "none";
  shape.style.stroke = filled ? "none" : colour;
  shape.style.strokeWidth = 2;
  const vertex = document.createElementNS(SVG, "marker");
  vertex.id = `calibviz-dot-${Math.random().toString(36).slice(2)}`;
  vertex.setAttribute("markerUnits", "userSpaceOnUse");
  vertex.style.overflow = "visible";
  vertex.append(shape);
  view.el.prepend(vertex);
  view.el.style.marker = `url(#${vertex.id})`;
  pointers.get(view.parent) ?? pointers.set(view.parent, follow(view.parent.el, tell));
  pointers.get(view.parent)(view, id);
}

const pointers = new WeakMap(); // how to follow one more mark, by figure

// Ask what the dot is that the pointer is on, and tell of clicks, in one figure; how to follow the dots of a mark of it.
function follow(figure, tell) {
  const marks = [];
  const tip = document.createElement("div");
  tip.className = "calibviz-tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  figure.append(tip);
  let now = {};
  const leave = () => {
    now = {};
    tip.hidden = true;
    figure.style.cursor = "";
  };
  const move = (event) => {
    const dot = nearest(marks, event);
    if (dot.mark === now.mark && dot.place === now.place) return;
    leave();
    now = dot;
    if (!dot.mark) return;
    const box = figure.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    tip.style.left = x < box.width / 2 ? `${x + REACH}px` : "";
    tip.style.right = x < box.width / 2 ? "" : `${box.width - x + REACH}px`;
    tip.style.top = `${Math.max(0, y - 30)}px`;
    tell({ pointed: dot.place, mark: dot.mark });
  };
  figure.addEventListener("pointermove", move);
  figure.addEventListener("pointerleave", leave);
  figure.addEventListener("click", (event) => {
    const { mark, place } = nearest(marks, event);
    if (mark) tell({ clicked: place, mark });
  });
  return (view, id) => {
    marks.push({ view, id });
    view.listenTo(view.model, "data_updated", leave);
    view.listenTo(view.model, "calibviz:hint", ({ pointed, hint, clickable }) => {
      if (id !== now.mark || pointed !== now.place) return;
      tip.textContent = hint;
      tip.hidden = !hint;
      figure.style.cursor = clickable ? "pointer" : "";
    });
  };
}

// The dot that an event is on, that on top where there are several; none where something is that can be dragged.
function nearest(marks, event) {
  const found = { distance: REACH };
  if (event.target.closest(".object_grp")) return found;
  for (const { view, id } of marks) {
    const inside = view.model.get("visible") && view.el.getScreenCTM()?.inverse();
    if (!inside) continue;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(inside);
    const { x: across, y: up } = view.scales;
    (view.model.mark_data[0]?.values ?? []).forEach(({ x, y }, place) => {
      const distance = Math.hypot(across.scale(x) + across.offset - at.x, up.scale(y) + up.offset - at.y);
      if (distance <= found.distance) Object.assign(found, { distance, mark: id, place });
    });
  }
  return found;
}
