// Handles in pictures: dots of bqplot that are dragged. While one is, Python hears where it is as soon as it has answered
// before, so that what depends on it follows. Each gets a slider without a look of its own, which keys move, and a
// field for a number that is typed. It stands beside the picture, whose parts nobody can focus, as they are read out as
// one image.

const STEPS = { fine: 0.001, plain: 0.01, large: 0.05 }; // with Alt, alone, with Shift
const TOWARDS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
const JUMPS = { Home: -1, End: 1 };
const PATIENCE_OF_DRAGS = 250; // milliseconds after which Python hears of a drag again, answered or not
const slidersOf = new WeakMap(); // the sliders on the dots of a mark, by its view
const rootsOf = new WeakSet(); // the Explorers whose controls leave keys to handles
const unanswered = new Map(); // when Python heard of a drag that it has not answered yet, by the id of the mark

// Lay sliders on the dots of these marks; `tell` hears to where one is moved.
async function layHandles(handles, manager, tell) {
  for (const [id, { role, names, values, upward }] of Object.entries(handles)) {
    if (!manager.has_model(id)) continue;
    const mark = await manager.get_model(id);
    for (const view of await Promise.all(Object.values(mark.views ?? {}))) {
      if (!slidersOf.has(view)) {
        slidersOf.set(view, []);
        followDrags(view, id, role, upward, tell);
      }
      leaveJumps(view.parent.el.closest(".calibviz-explorer"));
      const sliders = slidersOf.get(view);
      while (sliders.length > values.length) sliders.pop().remove();
      while (sliders.length < values.length) sliders.push(makeSlider(view, sliders.length, id, tell));
      sliders.forEach((slider, place) => {
        slider.dataset.role = role;
        set(slider, "aria-label", names[place]);
        set(slider, "aria-orientation", upward ? "vertical" : "horizontal");
        set(slider, "aria-valuenow", String(values[place]));
        set(slider, "aria-valuetext", `${percent(values[place])} %`);
        layOn(slider, view, place);
      });
    }
  }
}

function percent(value) {
  return Math.round(1000 * value) / 10;
}

function makeSlider(view, place, id, tell) {
  const slider = view.parent.el.appendChild(document.createElement("div"));
  slider.className = "calibviz-handle";
  const attributes = { role: "slider", tabindex: "0", "aria-valuemin": "0", "aria-valuemax": "1" };
  for (const [name, value] of Object.entries(attributes)) set(slider, name, value);
  slider.dataset.lmSuppressShortcuts = "true";
  const move = (to) => tell({ moved: place, mark: id, to: Math.round(1000 * Math.min(1, Math.max(0, to))) / 1000 });
  slider.addEventListener("focus", () => layOn(slider, view, place));
  slider.addEventListener("calibviz:type", () => typeNumber(slider, move));
  slider.addEventListener("keydown", (event) => {
    const { key } = event;
    if (!(key in TOWARDS || key in JUMPS || key === "Enter") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (key === "Enter") return typeNumber(slider, move);
    if (key in JUMPS) return tell({ jumped: JUMPS[key], mark: id });
    const step = event.altKey ? STEPS.fine : event.shiftKey ? STEPS.large : STEPS.plain;
    move(Number(slider.getAttribute("aria-valuenow")) + TOWARDS[key] * step);
  });
  return slider;
}

function layOn(slider, view, place) {
  const dot = view.el.querySelectorAll(".object_grp")[place]?.getBoundingClientRect();
  if (!dot) return;
  const { x, y, width, height } = within(view.parent.el, dot, view.parent.el.getBoundingClientRect());
  slider.style.left = `${x + width / 2}px`;
  slider.style.top = `${y + height / 2}px`;
}

// A field over a handle, in which its number is typed in per cent: Enter takes it, Escape leaves it.
function typeNumber(slider, move) {
  const field = slider.parentNode.appendChild(document.createElement("input"));
  field.className = "calibviz-handle-typed";
  field.value = String(percent(Number(slider.getAttribute("aria-valuenow"))));
  field.inputMode = "decimal";
  set(field, "aria-label", `${slider.getAttribute("aria-label")}, in per cent`);
  [field.style.left, field.style.top] = [slider.style.left, slider.style.top];
  field.dataset.lmSuppressShortcuts = "true";
  field.addEventListener("input", () => field.setCustomValidity(""));
  field.addEventListener("blur", () => field.remove());
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    const typed = field.value.replace("%", "").replace(",", ".").trim();
    if (event.key === "Enter" && !(typed && Number(typed) >= 0 && Number(typed) <= 100)) {
      field.setCustomValidity(`${field.value || "nothing"} is not from 0 to 100 %`);
      field.reportValidity();
      return;
    }
    slider.focus(); // the field goes
    if (event.key === "Enter") move(Number(typed) / 100);
  });
  field.focus();
  field.select();
}

// Follow the pointer with what lies over a dot that is dragged, and let Python know.
function followDrags(view, id, role, upward, tell) {
  const dots = () => [...view.el.querySelectorAll(".object_grp")];
  view.el.addEventListener("dblclick", ({ target }) => {
    const place = dots().indexOf(target.closest(".object_grp"));
    slidersOf.get(view)[place]?.dispatchEvent(new CustomEvent("calibviz:type"));
  });
  view.el.addEventListener("pointerdown", (event) => {
    const place = dots().indexOf(event.target.closest(".object_grp"));
    if (place < 0) return;
    const from = /translate\(([-.e\d]+)[ ,]+([-.e\d]+)/.exec(dots()[place].getAttribute("transform"));
    const start = Number(from?.[upward ? 2 : 1]);
    const along = upward ? view.scales.y : view.scales.x;
    const number = () => view.parent.el.querySelectorAll(`.calibviz-words-over > .${role}`)[place];
    const first = number()?.style.left;
    let at = start;
    let told = start;
    const show = (left) => {
      const shown = number();
      if (!shown || upward) return;
      shown.dataset.left ??= shown.style.left; // where Python has put it
      shown.style.left = left ?? shown.dataset.left;
    };
    const move = ({ clientX, clientY }) => {
      const moved = upward ? clientY - event.clientY : clientX - event.clientX;
      at = start + moved / enlargementOf(view.parent.el);
    };
    const step = (now) => {
      if (!isPressed) {
        window.removeEventListener("pointermove", move, true);
        return show();
      }
      requestAnimationFrame(step);
      show(`calc(${first} + ${at - start}px)`);
      if (at === told) return;
      if (now - (unanswered.get(id) ?? -Infinity) < PATIENCE_OF_DRAGS) return;
      told = at;
      unanswered.set(id, now);
      tell({ dragged: place, mark: id, to: along.invert(at - along.offset) });
    };
    window.addEventListener("pointermove", move, true);
    requestAnimationFrame(step);
  }, true);
}

// A control that stands for the same as a handle in a picture leaves it the keys that jump; its class names the role.
function leaveJumps(root) {
  if (!root || rootsOf.has(root)) return;
  rootsOf.add(root);
  root.addEventListener("keydown", (event) => {
    const control = event.target.closest(".noUi-handle")?.closest("[class*=calibviz-moves-]");
    const [, role] = /calibviz-moves-(\S+)/.exec(control?.className) ?? [];
    const handle = role && root.querySelector(`.calibviz-handle[data-role=${role}]`);
    if (!handle || !(event.key in JUMPS)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    handle.dispatchEvent(new KeyboardEvent("keydown", { key: event.key }));
  }, true);
}
