import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { load, Model, openPage, until } from "./page.js";

class Signal {
  slots = new Set();

  connect(slot) {
    this.slots.add(slot);
  }

  disconnect(slot) {
    this.slots.delete(slot);
  }

  emit(content) {
    for (const slot of [...this.slots]) slot(this, content);
  }
}

const SENTENCES = {
  notebook: {
    stopped: "The kernel has stopped: run `calibviz` again", ended: "ended", cut: "cut", silent: "silent", busy: "busy",
    mute: "mute", computing: "computing",
  },
};
let kernel, answer, el, model, closeWidget;

beforeEach(async () => {
  const view = '<button>bins</button><div class="calibviz-top"></div><div class="pulse"></div>';
  const page = openPage(`<div class="calibviz-explorer">${view}</div>`);
  el = page.querySelector(".pulse");
  answer = async () => ({ ok: true, status: 200, json: async () => ({ execution_state: "idle" }) });
  kernel = {
    id: "k", status: "idle", connectionStatus: "connected", isDisposed: false,
    statusChanged: new Signal(), connectionStatusChanged: new Signal(), disposed: new Signal(), anyMessage: new Signal(),
    serverSettings: { fetch: (...asked) => answer(...asked), init: {}, token: "t", baseUrl: "http://localhost/" },
    requestCommInfo: async () => ({ content: { comms: { p: {} } } }),
  };
  const { default: script } = await load("Pulse");
  model = new Model({ me: "p", sentences: SENTENCES }, { kernel, get_model: async () => ({ comm_live: true, comm: {} }) });
  const end = [script.initialize({ model }), script.render({ model, el })];
  closeWidget = () => end.forEach((close) => close());
});

afterEach(() => closeWidget());

const veil = () => document.querySelector(".calibviz-veil");

test("a kernel that has died covers the view, says so, and gives it back to nobody", async () => {
  await new Promise((done) => setTimeout(done, 120));
  const button = document.querySelector("button");
  button.focus();
  kernel.statusChanged.emit("dead");
  assert.equal(veil().textContent, "The kernel has stopped: run calibviz again");
  assert.equal(veil().querySelector("code").textContent, "calibviz");
  assert.ok(button.inert);
  assert.equal(document.activeElement, veil().firstChild); // a reader hears it
  kernel.statusChanged.emit("idle"); // a new one: the widgets were in the memory of the old one
  assert.ok(veil());
  closeWidget();
  assert.equal(veil(), null);
  assert.ok(!button.inert);
});

test("a server that answered once and then is gone covers the view, until it is back", async () => {
  await until(() => kernel.statusChanged.slots.size);
  await new Promise((done) => setTimeout(done, 120));
  answer = async () => { throw new TypeError("refused"); };
  kernel.connectionStatusChanged.emit("connecting");
  await until(veil);
  assert.equal(veil().textContent, "ended");
  answer = async () => ({ ok: true, status: 200, json: async () => ({ execution_state: "idle" }) });
  kernel.connectionStatusChanged.emit("connected");
  await until(() => !veil());
});

test("a kernel that only computes covers nothing, but says that it is busy", async (t) => {
  const after = setTimeout;
  t.mock.method(globalThis, "setTimeout", (act, time, ...more) => after(act, time / 100, ...more));
  kernel.status = "busy";
  const header = { msg_type: "comm_msg", msg_id: "1" };
  kernel.anyMessage.emit({ msg: { header, content: {} }, direction: "send" });
  await until(() => document.querySelector(".calibviz-top .calibviz-waiting"));
  assert.equal(document.querySelector(".calibviz-waiting").textContent, "busy");
  assert.equal(veil(), null);
  const idle = { header: {}, parent_header: { msg_id: "1" }, content: { execution_state: "idle" } };
  kernel.anyMessage.emit({ msg: idle, direction: "recv" });
  assert.equal(document.querySelector(".calibviz-waiting"), null);
});

test("a kernel that says nothing is taken to compute at first, and only after long not to answer", async (t) => {
  const after = setTimeout;
  t.mock.method(globalThis, "setTimeout", (act, time, ...more) => after(act, time / 100, ...more));
  kernel.anyMessage.emit({ msg: { header: { msg_type: "comm_msg", msg_id: "1" }, content: {} }, direction: "send" });
  const note = () => document.querySelector(".calibviz-waiting")?.textContent;
  await until(note);
  assert.equal(note(), "computing");
  await until(() => note() !== "computing");
  assert.equal(note(), "mute");
  const idle = { header: {}, parent_header: { msg_id: "1" }, content: { execution_state: "idle" } };
  kernel.anyMessage.emit({ msg: idle, direction: "recv" });
  await new Promise((done) => after(done, 250));
  assert.equal(note(), undefined); // and it does not come back
});

test("once all widgets of a kernel are closed, nobody listens to it", async () => {
  const signals = [kernel.statusChanged, kernel.connectionStatusChanged, kernel.disposed, kernel.anyMessage];
  assert.ok(signals.every((signal) => signal.slots.size));
  closeWidget();
  assert.deepEqual(signals.map((signal) => signal.slots.size), [0, 0, 0, 0]);
});
