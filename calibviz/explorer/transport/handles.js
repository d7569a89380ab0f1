// Handles that the keyboard moves: each dot of bqplot that can be dragged gets a slider without a look of its own, which
// lies on it. It stands beside the picture, whose parts nobody can focus, as they are read out as one image.

const STEPS = { fine: 0.001, plain: 0.01, large: 0.05 }; // with Alt, alone, with Shift
const TOWARDS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
const slidersOf = new WeakMap(); // the sliders on the dots of a mark, by its view

// Lay sliders on the dots of these marks; `tell` hears to where one is moved.
async function layHandles(handles, manager, tell) {
  for (const [id, { names, values }] of Object.entries(handles)) {
    if (!manager.has_model(id)) continue;
    const mark = await manager.get_model(id);
    for (const view of await Promise.all(Object.values(mark.views ?? {}))) {
      if (!slidersOf.has(view)) slidersOf.set(view, []);
      const sliders = slidersOf.get(view);
      while (sliders.length > values.length) sliders.pop().remove();
      while (sliders.length < values.length) sliders.push(makeSlider(view, sliders.length, id, tell));
      sliders.forEach((slider, place) => {
        set(slider, "aria-label", names[place]);
        set(slider, "aria-valuenow", String(values[place]));
        set(slider, "aria-valuetext", `${Math.round(1000 * values[place]) / 10} %`);
        layOn(slider, view, place);
      });
    }
  }
}

function makeSlider(view, place, id, tell) {
  const slider = view.parent.el.appendChild(document.createElement("div"));
  slider.className = "calibviz-handle";
  const attributes = { role: "slider", tabindex: "0", "aria-valuemin": "0", "aria-valuemax": "1" };
  for (const [name, value] of Object.entries(attributes)) set(slider, name, value);
  slider.dataset.lmSuppressShortcuts = "true";
  slider.addEventListener("focus", () => layOn(slider, view, place));
  slider.addEventListener("keydown", (event) => {
    if (!(event.key in TOWARDS) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const step = event.altKey ? STEPS.fine : event.shiftKey ? STEPS.large : STEPS.plain;
    const to = Math.min(1, Math.max(0, Number(slider.getAttribute("aria-valuenow")) + TOWARDS[event.key] * step));
    tell({ moved: place, mark: id, to: Math.round(1000 * to) / 1000 });
  });
  return slider;
}

function layOn(slider, view, place) {
  const dot = view.el.querySelectorAll(".object_grp")[place]?.getBoundingClientRect();
  const box = view.parent.el.getBoundingClientRect();
  if (!dot) return;
  slider.style.left = `${dot.x + dot.width / 2 - box.x}px`;
  slider.style.top = `${dot.y + dot.height / 2 - box.y}px`;
}
