// The browser's half of transport.py: puts the states of many widgets in place at once, and names what has no name.

export default heard({
  initialize({ model, hears }) {
    const manager = model.widget_manager;
    const me = Math.random().toString(36).slice(2);
    let queue = Promise.resolve();

    model.on("msg:custom", (content, buffers) => {
      if (content.states) {
        // One after the other: unpacking takes a while, and a later message must not overtake an earlier one.
        // What is sent ahead is seen a frame before the rest.
        const drawn = () => content.ahead && frame();
        let end;
        const turns = takeTurns(manager, Object.keys(content.states), new Promise((done) => (end = done)));
        const put = async () => apply(manager, content, buffers, await turns);
        queue = queue.then(put).catch(console.error).finally(end).then(drawn);
      } else if (content.answered) {
        queue.then(() => unanswered.delete(content.answered));
      } else if (content.hello === me) {
        model.send({ ready: me });
      } else if (content.hint !== undefined && manager.has_model(content.mark)) {
        manager.get_model(content.mark).then((mark) => mark.trigger("calibviz:hint", content));
      }
    });
    // Else the manager is of a kind that apply() does not know.
    if (manager.has_model) hears.then(() => model.send({ hello: me }));

    return keepNamed(model, manager);
  },
});

// Take a turn in what reaches each model: what came before it in a message of its own is put in place first, and what
// comes later waits for `end`. Returns by id the model, and when its turn has come.
async function takeTurns(manager, ids, end) {
  const turn = async (id) => {
    const target = await manager.get_model(id);
    const before = target.state_change;
    target.state_change = Promise.resolve(before).then(() => end);
    return [id, [target, before]];
  };
  // A widget may have been closed since. (Asking the manager for a model it does not know takes it two seconds.)
  const known = ids.filter((id) => manager.has_model(id));
  const turns = await Promise.all(known.map((id) => turn(id).catch(console.error))); // the others must not suffer
  return new Map(turns.filter(Boolean));
}

async function apply(manager, { states, buffer_paths, parts = {} }, buffers, turns) {
  buffer_paths.forEach((path, i) => {
    const parent = path.slice(0, -1).reduce((node, key) => node[key], states);
    parent[path.at(-1)] = buffers[i];
  });
  const unpacked = await Promise.all(
    [...turns].filter(([id]) => manager.has_model(id)).map(async ([id, [target, before]]) => {
      try {
        await before;
        return [target, await target.constructor._deserialize_state(states[id], manager)];
      } catch (error) {
        console.error(error); // the others must not suffer
        return null;
      }
    }),
  );
  const seen = {};
  const isLate = (target) => {
    const part = parts[target.model_id];
    return part !== undefined && !(seen[part] ??= isInSight(part));
  };
  const ready = unpacked.filter(Boolean);
  const late = ready.filter(([target]) => isLate(target));
  // No await in between: the browser draws all that can be seen in one frame.
  for (const [target, state] of ready) if (!isLate(target)) put(target, state);
  if (!late.length) return;
  await frame();
  for (const [target, state] of late) put(target, state);
}

function put(target, state) {
  // A slider rounds a value to its steps, and would send that to Python, where it would take the place of a later one.
  const set = target.set;
  target.set = (key, value, options) => (options?.updated_view ? target : set.call(target, key, value, options));
  try {
    target.set_state(state);
  } catch (error) {
    console.error(error); // the others must not suffer
  } finally {
    target.set = set;
  }
}

function isInSight(part) {
  return [...document.querySelectorAll(`.calibviz-panel-${part}`)].some((element) => {
    const { top, bottom, width } = element.getBoundingClientRect();
    return width > 0 && bottom > 0 && top < window.innerHeight;
  });
}

// A page in the background has no frames.
function frame() {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 100);
  });
}

// Sliders and bqplot's figures come without an accessible name, toggles without their state. Views come and go, so look
// again when the page has changed and has had time to draw that.
function keepNamed(model, manager) {
  let waiting = false;
  const look = () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      keepKeys();
      nameSliders();
      sayWhatIsPressed();
      thinNames();
      foldLegends();
      sizeFigures(Object.keys(model.get("alt")), manager).catch(console.error);
      nameFigures(model.get("alt"), manager).catch(console.error);
      giveHints(model.get("hints"), manager).catch(console.error);
      followPointing(model.get("scores"), manager).catch(console.error);
      layLabels(model.get("labels"), manager).catch(console.error);
      layHandles(model.get("handles"), manager, (message) => model.send(message)).catch(console.error);
      drawDots(model.get("dots"), manager, (message) => model.send(message)).catch(console.error);
    }, 100);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["class"] });
  // Words move with what they are about, not a moment later.
  model.on("change:labels", () => layLabels(model.get("labels"), manager).catch(console.error));
  model.on("change:alt change:dots change:hints change:scores change:handles", look);
  look();
  return () => observer.disconnect();
}

// In JupyterLab the arrow keys walk from cell to cell and would never reach a list or a slider, unless that very element
// asks for them.
function keepKeys() {
  /** @type {NodeListOf<HTMLElement>} */
  const keyed = document.querySelectorAll(".calibviz-explorer select, .calibviz-explorer .noUi-handle");
  for (const element of keyed) element.dataset.lmSuppressShortcuts = "true";
}

function nameSliders() {
  for (const slider of document.querySelectorAll(".calibviz-explorer .noUi-target")) {
    const box = slider.closest(".widget-hslider");
    const label = box?.querySelector(".widget-label")?.textContent;
    const readout = /** @type {HTMLElement | null} */ (box?.querySelector(".widget-readout"));
    const handles = slider.querySelectorAll(".noUi-handle");
    const ends = handles.length > 1 ? [", from", ", to"] : [""];
    const sign = box?.classList.contains("calibviz-percent") ? " %" : "";
    if (!label) continue;
    if (box.classList.contains("calibviz-of-list")) { // ipywidgets draws it as if it always had an effect
      const isFaint = box.classList.contains("is-faint");
      slider.toggleAttribute("disabled", isFaint);
      if (readout) readout.contentEditable = String(!isFaint);
    }
    handles.forEach((handle, i) => set(handle, "aria-label", label + ends[i]));
    // Else a slider over a list says the number of the item.
    if (handles.length === 1 && readout) set(handles[0], "aria-valuetext", `${readout.textContent}${sign}`);
    if (readout?.isContentEditable) {
      set(readout, "role", "textbox");
      set(readout, "aria-label", `${label}, typed`);
      if (handles.length === 1 && !box.classList.contains("calibviz-of-list")) refuseBeyond(box, slider, readout, sign);
    }
  }
}

function sayWhatIsPressed() {
  for (const button of document.querySelectorAll(".calibviz-explorer .widget-toggle-button")) {
    set(button, "aria-pressed", String(button.classList.contains("mod-active")));
  }
  for (const group of document.querySelectorAll(".calibviz-explorer .widget-toggle-buttons")) {
    set(group, "role", "group");
    set(group, "aria-label", group.querySelector(".widget-label")?.textContent ?? "");
  }
}

async function giveHints(hints, manager) {
  for (const [id, text] of Object.entries(hints)) {
    if (!manager.has_model(id)) continue;
    const control = await manager.get_model(id);
    for (const view of await Promise.all(Object.values(control.views ?? {}))) view.el.title = text;
  }
}

async function nameFigures(alt, manager) {
  for (const [id, text] of Object.entries(alt)) {
    if (!manager.has_model(id)) continue;
    const figure = await manager.get_model(id);
    for (const view of await Promise.all(Object.values(figure.views ?? {}))) {
      const svg = view.el.querySelector("svg.svg-figure"); // not its parent, which also holds the toolbar
      if (svg) {
        set(svg, "role", "img");
        set(svg, "aria-label", text);
      }
      const back = view.el.querySelector("svg.svg-background"); // the axes: loose numbers when they are read out
      if (back) set(back, "aria-hidden", "true");
    }
  }
}

function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
