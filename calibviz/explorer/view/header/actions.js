// The browser's half of actions.py: buttons and keys for undo and redo, and the list of steps.

const ICONS = {
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "m15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
  reset: "M5 5v5h5M5.5 15a7.5 7.5 0 1 0 .6-8L5 10",
  steps: "M4 6h16M4 12h16M4 18h10",
};
const CAMERA = "M4 8h4l1.5-3h5L16 8h4v11H4zM12 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7";
// What a key presses, and what the list of keys says of it.
const SHORTCUTS = {
  1: [".calibviz-question:nth-child(1) button", "Where is it worst?"],
  2: [".calibviz-question:nth-child(2) button", "Can I act at a threshold?"],
  3: [".calibviz-question:nth-child(3) button", "Would recalibration help?"],
  0: [".calibviz-back", "close the answer"],
  m: [".calibviz-how", "how it is measured"],
  a: [".calibviz-advanced", "all settings"],
  p: [".calibviz-project", "projector: one panel in large type"],
  PageDown: [".calibviz-projecting .calibviz-next", "the next panel, of a projector"],
  PageUp: [".calibviz-projecting .calibviz-previous", "the panel before it"],
};
// What Escape closes, the first of these that is open.
const OPEN = [".calibviz-how.mod-active", ".calibviz-share .mod-active", ".calibviz-advanced.mod-active", ".calibviz-projecting .calibviz-leave-projector", ".calibviz-asked .calibviz-back"];
const LISTS = ".calibviz-checklist, .calibviz-subject"; // of which each closes on Escape
const SEARCHED = ".calibviz-question:nth-child(1) button"; // the question whose answer has a search
const KEYS = { undo: " (Ctrl+Z)", redo: " (Ctrl+Shift+Z)", reset: "" };
const HEAD = 160; // px of a panel that tell what it says: its title, its legend and its answer
const LAID_OUT = 150; // ms until a panel has its place: pictures follow theirs
const PATIENCE = 10_000; // ms in which a click may open something
const WHEREABOUTS = ["focusin", "pointerdown"]; // what tells where somebody is
const SEEKING = 3000; // ms in which the search of an answer that opens may appear
const NO_TEXT = ["button", "checkbox", "radio", "range", "submit"];

export default heard({
  render({ model, el }) {
    el.classList.add("calibviz-actions");
    const bar = add(el, "div");
    const buttons = Object.fromEntries(Object.keys(ICONS).map((name) => [name, bar.appendChild(button(name))]));
    const keepers = ["A", "B"].map((name) => {
      const keeper = add(bar, "button", { type: "button", className: "letter" });
      const icon = makeShape("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
      icon.append(makeShape("path", { d: CAMERA }));
      keeper.append(icon, make("span"));
      keeper.addEventListener("click", () => model.send({ keep: name }));
      return [name, keeper];
    });
    let list = null;

    const ask = (name) => {
      if (buttons[name].getAttribute("aria-disabled") !== "true") model.send({ ask: name });
    };
    for (const name of Object.keys(KEYS)) buttons[name].addEventListener("click", () => ask(name));
    buttons.steps.setAttribute("aria-haspopup", "true");
    buttons.steps.addEventListener("click", () => (list ? close(true) : open()));

    function close(focus = false) {
      list?.remove();
      list = null;
      buttons.steps.setAttribute("aria-expanded", "false");
      if (focus) buttons.steps.focus();
    }

    function open() {
      list = add(el, "div", { className: "steps" });
      list.setAttribute("role", "group");
      list.setAttribute("aria-label", "steps, newest first");
      buttons.steps.setAttribute("aria-expanded", "true");
      fill();
      list.querySelector("[aria-current=true]").focus();
    }

    function fill() {
      const { steps, place } = model.get("content");
      const rows = make("div");
      const focused = list.contains(document.activeElement);
      for (let at = steps.length; at >= 0; at--) {
        const row = add(rows, "button", { type: "button", className: at > place ? "undone" : "" });
        row.append(make("span", { textContent: at ? steps[at - 1] : "start" }));
        if (at > place) row.append(make("small", { textContent: "undone" }));
        if (at === place) {
          row.setAttribute("aria-current", "true");
          row.append(make("small", { textContent: "now" }));
        }
        row.addEventListener("click", () => model.send({ go: at }));
      }
      list.replaceChildren(make("p", { textContent: "Steps, newest first: click one to go there" }), rows);
      if (focused) list.querySelector("[aria-current=true]").focus();
    }

    function draw() {
      const { steps, place, atStart } = model.get("content");
      const can = { undo: steps[place - 1], redo: steps[place], reset: atStart ? "" : "everything as it was" };
      const names = { undo: "Undo", redo: "Redo", reset: "Back to the start" };
      const none = { undo: "Nothing to undo", redo: "Nothing to redo", reset: "Everything is as at the start" };
      for (const [name, key] of Object.entries(KEYS)) {
        const text = can[name] ? `${names[name]}: ${can[name]}` : none[name];
        buttons[name].setAttribute("aria-label", text);
        buttons[name].setAttribute("aria-disabled", String(!can[name]));
        buttons[name].title = can[name] ? text + key : text;
      }
      const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
      buttons.steps.setAttribute("aria-label", `List of steps: ${count}`);
      buttons.steps.title = `List of steps: ${count}`;
      for (const [name, keeper] of keepers) {
        const isKept = model.get("content").kept.includes(name);
        keeper.setAttribute("aria-pressed", String(isKept));
        keeper.lastChild.textContent = isKept ? `${name} ✓` : `Remember as ${name}`;
        keeper.hidden = name === "B" && !model.get("content").kept.includes("A") && !isKept;
        keeper.title = `Keep what is shown as ${name}${isKept ? ", in place of what is kept" : ", to compare it"}`;
      }
      if (list?.querySelector("button")) fill(); // it may be the list of keys
    }

    const root = () => el.closest(".calibviz-explorer");
    // What had the focus may be taken away, as a table is by what a click on its row opens: the page has it then.
    let last = null;
    const remember = ({ target }) => (last = root()?.contains(target) ? target : null);
    // On a page of our own server nothing but the view hears keys, so that nobody has to click into it first.
    const isOwnPage = () => Symbol.for("calibviz.line") in globalThis;
    const isInside = (target) =>
      root()?.contains(target) || (target === document.body && (isOwnPage() || (last != null && !last.isConnected)));
    function listKeys() {
      if (list) return close();
      list = add(el, "div", { className: "steps" });
      list.setAttribute("role", "note");
      const rows = make("dl");
      const keys = { ...SHORTCUTS, "/": ["", "find a segment"], Escape: ["", "close what is open"], "Ctrl+Z, Ctrl+Shift+Z": ["", "undo, redo"], "?": ["", "these keys"] };
      for (const [key, [, text]] of Object.entries(keys)) {
        rows.append(make("dt", { textContent: key.toUpperCase() === "A" ? "A" : key }), make("dd", { textContent: text }));
      }
      list.append(make("p", { textContent: "Keys, while the focus is in this view and in no text" }), rows);
    }

    // Leads to the search of the segments, which are opened first if they have to be. What is typed until it is there
    // is meant for it, and for no key of the view.
    let seeking = null;
    function seek() {
      const search = searchIn(root());
      if (search) return search.focus();
      const question = root().querySelector(SEARCHED);
      if (!question || question.classList.contains("mod-active")) return;
      seeking = { typed: "" };
      const look = () => {
        const found = seeking && root() && searchIn(root());
        if (!found) return;
        const { typed } = seeking;
        end();
        found.focus();
        if (!typed) return;
        found.value = typed;
        found.dispatchEvent(new Event("input", { bubbles: true }));
      };
      const observer = new MutationObserver(look);
      const timer = setTimeout(() => end(), SEEKING);
      const end = () => {
        observer.disconnect();
        clearTimeout(timer);
        seeking = null;
      };
      observer.observe(root(), { childList: true, subtree: true, attributes: true });
      question.click();
    }

    function takeShortcut(event) {
      if (seeking && event.key.length === 1) {
        seeking.typed += event.key;
        event.preventDefault();
        return event.stopImmediatePropagation();
      }
      if (event.altKey || event.repeat || event.target.matches("select")) return;
      if (event.key === "Escape" && event.target.closest(LISTS)?.querySelector("[aria-expanded=true]")) return; // its own
      const [selector] = SHORTCUTS[event.key] ?? SHORTCUTS[event.key.toLowerCase()] ?? [];
      const open = event.key === "Escape" && !list ? OPEN.find((one) => root().querySelector(one)) : undefined;
      const buttons = (selector ?? open) ? [...root().querySelectorAll(selector ?? open)] : [];
      if (event.key === "?" || (event.key === "Escape" && list?.querySelector("dl"))) listKeys();
      else if (event.key === "/") seek();
      else if (buttons.length) buttons.forEach((button) => button.click());
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }

    // Window comes before document, where JupyterLab takes Ctrl+Z for its cells.
    const press = (event) => {
      if (!isInside(event.target) || (isTextField(event.target) && !leaves(event))) return;
      if (!(event.ctrlKey || event.metaKey)) return takeShortcut(event);
      if (event.altKey || event.key.toLowerCase() !== "z") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      ask(event.shiftKey ? "redo" : "undo");
    };
    walkList(el, () => list && [...list.querySelectorAll("button")], () => close(true));
    const stay = closeOutside(el, () => list && close());
    // A click on a picture then gives the focus to the Explorer, so that its keys work there too.
    const attached = requestAnimationFrame(() => {
      root()?.setAttribute("tabindex", "-1");
      root()?.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab would insert a cell on A
      root()?.addEventListener("click", revealOpened);
      root()?.addEventListener("click", showDrawer);
      root()?.addEventListener("click", fillScreen);
    });
    // The browser keeps the Escape by which somebody leaves the whole screen to itself.
    const leaveProjector = () => {
      if (!document.fullscreenElement) root()?.querySelector(".calibviz-projecting .calibviz-leave-projector")?.click();
    };
    document.addEventListener("fullscreenchange", leaveProjector);
    window.addEventListener("keydown", press, true);
    for (const act of WHEREABOUTS) document.addEventListener(act, remember, true);
    const stop = drawOn(model, ["content"], draw);
    return () => {
      cancelAnimationFrame(attached);
      root()?.removeEventListener("click", revealOpened);
      root()?.removeEventListener("click", showDrawer);
      root()?.removeEventListener("click", fillScreen);
      document.removeEventListener("fullscreenchange", leaveProjector);
      window.removeEventListener("keydown", press, true);
      for (const act of WHEREABOUTS) document.removeEventListener(act, remember, true);
      stay();
      stop();
    };
  },
});

// Show or hide the settings with the click, ahead of Python, which does the same: until it has, what is hidden cannot
// take the focus, and a key that is meant for a setting would go elsewhere.
function showDrawer({ target, currentTarget: root }) {
  const button = target.closest(".calibviz-advanced");
  const drawer = root.querySelector(".calibviz-desk > .calibviz-controls");
  if (!button || !drawer) return;
  const isOpen = button.classList.contains("mod-active"); // its own handler came first
  drawer.style.display = isOpen ? "" : "none";
  drawer.parentElement.classList.toggle("calibviz-open", isOpen);
}

// A projector has all of the screen, where the browser allows that.
function fillScreen({ target, currentTarget: root }) {
  if (target.closest(".calibviz-leave-projector") && document.fullscreenElement === root) document.exitFullscreen();
  if (target.closest(".calibviz-project.mod-active")) root.requestFullscreen?.().catch(() => {});
}

// Bring what a button opens into sight: a panel below the picture may begin where nobody looks. Who goes elsewhere
// meanwhile is left alone, and who came by keyboard goes on from there.
function revealOpened({ target, detail, currentTarget: root }) {
  if (target.closest(".calibviz-back")) return goBack(root);
  if (!target.closest(".calibviz-questions, .calibviz-chooser")) return;
  if (root.querySelector(".calibviz-start")) cameFrom.set(root, root.getBoundingClientRect().top);
  const panels = () => [...root.querySelectorAll(".calibviz-panels > .calibviz-panel")];
  const name = (panel) => [...panel.classList].find((one) => one.startsWith("calibviz-panel-"));
  const before = panels().map(name);
  const elsewhere = new AbortController();
  const leave = () => elsewhere.abort();
  for (const act of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    window.addEventListener(act, leave, { capture: true, passive: true, signal: elsewhere.signal });
  }
  const observer = new MutationObserver(() => {
    const opened = panels().filter((panel) => !before.includes(name(panel)));
    if (!opened.length) return;
    observer.disconnect();
    setTimeout(() => {
      if (opened.length === 1 && !elsewhere.signal.aborted) reveal(opened[0], root, detail === 0);
      leave();
    }, LAID_OUT);
  });
  elsewhere.signal.addEventListener("abort", () => observer.disconnect());
  observer.observe(root, { childList: true, subtree: true });
  setTimeout(leave, PATIENCE);
}

const cameFrom = new WeakMap(); // where the top of a view was on the page when its first answer was opened

// Once the answer is closed, stand where one stood before it was opened.
function goBack(root) {
  if (!cameFrom.has(root)) return;
  const observer = new MutationObserver(() => {
    if (!root.querySelector(".calibviz-start")) return;
    observer.disconnect();
    setTimeout(() => {
      const scrolled = scrollerOf(root);
      scrolled.scrollTop += root.getBoundingClientRect().top - cameFrom.get(root);
      cameFrom.delete(root);
    }, LAID_OUT);
  });
  observer.observe(root, { subtree: true, attributeFilter: ["class"] });
  setTimeout(() => observer.disconnect(), PATIENCE);
}

// What scrolls the view: the page, or a part of it, as JupyterLab's notebook.
function scrollerOf(element) {
  for (let above = element.parentElement; above; above = above.parentElement) {
    const scrolls = /auto|scroll/.test(getComputedStyle(above).overflowY);
    if (scrolls && above.scrollHeight > above.clientHeight) return above;
  }
  return document.scrollingElement;
}

function reveal(panel, root, byKey) {
  const header = root.querySelector(".calibviz-header");
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const observer = new IntersectionObserver(([{ boundingClientRect: whole, intersectionRect: seen }]) => {
    observer.disconnect();
    const isClear = whole.top >= header.getBoundingClientRect().bottom && seen.top <= whole.top;
    const isSeen = isClear && seen.height >= Math.min(whole.height, HEAD);
    if (!isSeen) {
      panel.style.scrollMarginTop = `${header.offsetHeight + 8}px`;
      panel.scrollIntoView({ block: "start", behavior: isCalm ? "auto" : "smooth" });
    }
    if (!byKey || (isSeen && document.activeElement !== document.body)) return;
    panel.tabIndex = -1;
    panel.focus({ preventScroll: true });
  });
  observer.observe(panel);
}

function button(name) {
  const made = make("button", { type: "button" });
  made.dataset.name = name;
  const icon = makeShape("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  icon.append(makeShape("path", { d: ICONS[name] }));
  made.append(icon);
  return made;
}

// Escape in a text closes what that stands in; a search first clears what was searched for.
function leaves({ key, target }) {
  return key === "Escape" && !(target.type === "search" && target.value);
}

// The search that is in sight.
function searchIn(root) {
  return [...root.querySelectorAll("input.search")].find((one) => !one.hidden && one.getClientRects().length);
}

function isTextField(element) {
  return element.isContentEditable || element.matches("textarea") ||
    (element.matches("input") && !NO_TEXT.includes(element.type));
}
