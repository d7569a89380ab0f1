// Dots of lines, however many: markers on the vertices of the one path that bqplot draws, and which one is pointed at.
// (A mark of bqplot's with an element for every dot moves each of them in transitions of its own.) Dots with areas of
// their own are shapes of ours, on the same vertices.

const REACH = 12; // pixels
const SLIDE = 120; // milliseconds
const SAME_STEP = 50; // milliseconds within which changes belong to one step
const APART = 300; // milliseconds after which a step is one alone: those of a key that is held show as they are

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
        if (!drawnViews.has(view)) dot.bars ? followBars(view, id, tell) : draw(view, id, dot, tell);
        drawnViews.add(view);
        followClasses(view);
      }
    }),
  );
}

const drawnViews = new WeakSet();

function followBars(view, id, tell) {
  barViews.add(view);
  followIn(view, id, tell);
}

function draw(view, id, { marker, size, colour, filled }, tell) {
  const shaped = (area) => {
    const shape = document.createElementNS(SVG, "path");
    shape.setAttribute("d", SHAPES[marker](area));
    shape.style.fill = filled ? colour : "none";
    shape.style.stroke = filled ? "none" : colour;
    shape.style.strokeWidth = "2";
    return shape;
  };
  const vertex = document.createElementNS(SVG, "marker");
  vertex.id = `calibviz-dot-${Math.random().toString(36).slice(2)}`;
  vertex.setAttribute("markerUnits", "userSpaceOnUse");
  vertex.style.overflow = "visible";
  vertex.append(shaped(size));
  view.el.prepend(vertex);
  const sized = document.createElementNS(SVG, "g");
  sized.classList.add("calibviz-sized");
  sized.style.marker = "none";
  let before = []; // where the dots were
  let latest = 0; // when they came there
  let isAlone = false; // whether that was long after the step before
  const place = () => {
    const areas = view.model.get("areas") ?? [];
    view.el.style.marker = areas.length ? "none" : `url(#${vertex.id})`;
    const line = view.el.querySelector("path.line");
    if (!areas.length || !line) return sized.replaceChildren();
    if (sized.parentNode !== line.parentNode) line.after(sized);
    const corners = [...(line.getAttribute("d") ?? "").matchAll(/([-.e\d]+),([-.e\d]+)/g)]
      .slice(0, areas.length).map(([, x, y]) => [Number(x), Number(y)]);
    sized.replaceChildren(...corners.map(([x, y], i) => {
      const dot = shaped(areas[i]);
      dot.setAttribute("transform", `translate(${x},${y})`);
      return dot;
    }));
    const now = performance.now();
    if (now - latest > SAME_STEP) isAlone = now - latest > APART;
    if (isAlone && before.length && before.length !== corners.length) slide(sized.children, before, corners);
    [before, latest] = [corners, now];
  };
  // The line is drawn anew with new data, and in a place of another size; what changes here is no reason to go on.
  const isOwn = ({ target, addedNodes }) => sized.contains(target) || addedNodes[0] === sized;
  const observer = new MutationObserver((changes) => changes.every(isOwn) || place());
  observer.observe(view.el, { subtree: true, childList: true, attributeFilter: ["d"] });
  view.listenTo(view.model, "change:areas", place);
  place();
  followIn(view, id, tell);
}

function followIn(view, id, tell) {
  if (!pointers.has(view.parent)) pointers.set(view.parent, follow(view.parent.el, tell));
  pointers.get(view.parent)(view, id);
}

// Let dots of another number come from the nearest of those before. They stand where they belong at once, so nothing
// waits for this; while something is dragged, every step is shown as it is.
function slide(dots, before, now) {
  if (isPressed || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  [...dots].forEach((dot, i) => {
    const [x, y] = now[i];
    const [fromX, fromY] = before.reduce((near, old) => (Math.abs(old[0] - x) < Math.abs(near[0] - x) ? old : near));
    const steps = [[fromX, fromY], [x, y]].map(([left, top]) => ({ transform: `translate(${left}px,${top}px)` }));
    dot.animate(steps, { duration: SLIDE, easing: "ease-out" });
  });
}

let isPressed = false;
for (const name of ["pointerdown", "pointerup", "pointercancel"]) {
  window.addEventListener(name, () => { isPressed = name === "pointerdown"; }, true);
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
  let keys = null; // along the bars, where there are any
  const leave = () => {
    if (now.mark) pointAt(figure, null);
    now.outline?.remove();
    now = {};
    tip.hidden = true;
    figure.classList.remove("is-on-button");
  };
  const point = (dot, x, y) => {
    if (dot.mark === now.mark && dot.place === now.place) return;
    leave();
    now = dot;
    if (!dot.mark) return;
    now.at = { x, y };
    if (dot.bar) {
      now.outline = dot.view.el.appendChild(outlineOf(dot.bar));
      now.outline.classList.add("calibviz-bar-outline");
    }
    tell({ pointed: dot.place, mark: dot.mark });
    const { classes } = dot;
    const score = scoreOf(dot.x, scoresAt.get(dot.view.parent));
    if (score != null || classes.length) pointAt(figure, { score: score ?? undefined, classes, from: figure });
  };
  figure.addEventListener("pointermove", (event) => {
    const { x, y } = within(figure, new DOMRect(event.clientX, event.clientY), figure.getBoundingClientRect());
    point(nearest(marks, event), x, y);
  });
  figure.addEventListener("pointerleave", leave);
  figure.addEventListener("click", (event) => {
    const { mark, place } = nearest(marks, event);
    if (mark) tell({ clicked: place, mark });
  });
  return (view, id) => {
    marks.push({ view, id });
    if (barViews.has(view)) {
      keys ??= walkBars(
        figure,
        marks,
        (bar, x, y) => (bar ? point({ ...bar, classes: classesAt(bar.view, bar.place) }, x, y) : leave()),
        ({ mark, place }) => tell({ clicked: place, mark }),
      );
    }
    const renew = () => {
      leave();
      keys?.lay();
      if (keys?.isFocused()) keys.show();
    };
    view.listenTo(view.model, "data_updated", renew);
    view.listenTo(view.model, "calibviz:hint", ({ pointed, hint, clickable }) => {
      if (id !== now.mark || pointed !== now.place) return;
      tip.textContent = hint;
      tip.hidden = !hint;
      placeTip(tip, figure, now.at);
      figure.classList.toggle("is-on-button", clickable);
      if (keys?.isFocused()) keys.say(hint);
    });
  };
}

// Beside a place, on the side with more room, or above it where neither side has room enough; within the figure.
function placeTip(tip, { clientWidth, clientHeight }, { x, y }) {
  tip.style.left = "0"; // where it is as wide as it wants to be
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const left = x < clientWidth / 2 ? x + REACH : x - REACH - width;
  const inside = Math.max(0, Math.min(left, clientWidth - width));
  const top = inside === left ? y - 30 : y - REACH - height;
  tip.style.left = `${inside}px`;
  tip.style.top = `${Math.max(0, Math.min(top, clientHeight - height))}px`;
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
    if (barViews.has(view)) {
      barsOf(view).forEach((bar, place) => {
        const isOn = at.x >= bar.left && at.x <= bar.right && at.y >= bar.top - REACH && at.y <= bar.bottom + REACH;
        if (!isOn) return;
        Object.assign(found, { distance: 0, mark: id, place, view, bar, classes: classesAt(view, place) });
      });
      continue;
    }
    (view.model.mark_data[0]?.values ?? []).forEach(({ x, y }, place) => {
      const distance = Math.hypot(across.scale(x) + across.offset - at.x, up.scale(y) + up.offset - at.y);
      if (distance > found.distance) return;
      Object.assign(found, { distance, mark: id, place, x, view, bar: null, classes: classesAt(view, place) });
    });
  }
  return found;
}

function classesAt(view, place) {
  return view.model.get("classes")?.[place] ?? [];
}
