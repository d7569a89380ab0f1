// A page in Node, the scripts of calibviz as a browser gets them, and stand-ins for what Jupyter gives them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { JSDOM } from "jsdom";

const SCRIPTS = new URL("../../build/scripts/", import.meta.url); // made by scripts/browser_scripts.py
const NAMES = [
  "window", "document", "location", "history", "navigator", "CustomEvent", "Event", "KeyboardEvent", "MutationObserver",
  "HTMLElement", "getComputedStyle", "requestAnimationFrame", "cancelAnimationFrame",
];
const folder = mkdtempSync(join(tmpdir(), "calibviz-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
let turn = 0;

/** Opens an empty page, which the scripts that are loaded from then on find as theirs. */
export function openPage(content = "") {
  const { window } = new JSDOM(`<!DOCTYPE html><body>${content}</body>`, {
    pretendToBeVisual: true, url: "http://localhost/",
  });
  for (const name of NAMES) {
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
  }
  Object.assign(globalThis, { ResizeObserver: Unseeing, matchMedia: () => ({ matches: true }) });
  return window.document;
}

class Unseeing {
  observe() {}

  disconnect() {}
}

/** The text of a script. */
export function read(name) {
  return readFileSync(new URL(`${name}.js`, SCRIPTS), "utf8");
}

/** A module of its own with a script, and with some of the names that it keeps to itself. */
export function load(name, ...inner) {
  const file = join(folder, `${name}-${++turn}.mjs`);
  writeFileSync(file, `${read(name)}\nexport { ${inner.join(", ")} };`);
  return import(pathToFileURL(file));
}

/** A widget's half in Python, as anywidget shows it to a script; `sent` is what Python would hear. */
export class Model {
  sent = [];

  hearers = [];

  constructor(state, manager = {}) {
    this.state = state;
    this.widget_manager = manager;
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    this.state[name] = value;
    this.trigger(`change:${name}`);
  }

  save_changes() {
    this.saved = structuredClone(this.state);
  }

  send(message) {
    this.sent.push(message);
  }

  on(names, hear) {
    this.hearers.push(...names.split(" ").map((name) => [name, hear]));
  }

  off(names, hear) {
    this.hearers = this.hearers.filter(([name, one]) => !(names.split(" ").includes(name) && one === hear));
  }

  trigger(name, ...content) {
    for (const [one, hear] of this.hearers) if (one === name) hear(...content);
  }
}

/** Waits until a condition holds, for two seconds at most. */
export async function until(holds) {
  for (let i = 0; i < 200; i++) {
    if (holds()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`this never came true: ${holds}`);
}

export function press(element, key) {
  element.dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}
