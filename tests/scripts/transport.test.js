import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load, Model, openPage, until } from "./page.js";

/** What Jupyter makes of a widget: its state is unpacked in time of its own, and set. */
class Widget {
  constructor(id) {
    this.model_id = id;
    this.states = [];
  }

  set_state(state) {
    if (state.isWrong) throw new Error("a state that no widget takes");
    this.states.push(state);
  }

  static async _deserialize_state(state) {
    await state.slow;
    return state;
  }
}

let inner, model, widgets, manager;

beforeEach(async () => {
  openPage();
  inner = await load("Transport", "SHAPES", "placeOf", "scoreOf", "placeTip", "thinTurned");
  widgets = Object.fromEntries(["a", "b", "c"].map((id) => [id, new Widget(id)]));
  manager = { has_model: (id) => id in widgets, get_model: async (id) => widgets[id] };
  const state = { alt: {}, hints: {}, labels: {}, scores: {}, handles: {}, dots: {}, me: "t" };
  model = new Model(state, manager);
  inner.default.initialize({ model });
});

const send = (states, more) => model.trigger("msg:custom", { states, buffer_paths: [], ...more }, []);
const seen = (id) => widgets[id].states.map(({ n }) => n);

test("a later message does not overtake one whose states take a while", async () => {
  let end;
  const slow = new Promise((done) => (end = done));
  send({ a: { n: 1, slow }, b: { n: 1 } });
  send({ a: { n: 2 }, b: { n: 2 } });
  send({ a: { n: 3 } });
  await new Promise((done) => setTimeout(done, 30));
  assert.deepEqual(seen("b"), []); // all of a message is put in place at once
  end();
  await until(() => seen("a").length === 3);
  assert.deepEqual([seen("a"), seen("b")], [[1, 2, 3], [1, 2]]);
});

test("messages of a widget's own keep their turn among these", async () => {
  let arrive;
  widgets.a.state_change = new Promise((done) => (arrive = done)).then(() => widgets.a.set_state({ n: "own" }));
  send({ a: { n: 1 } });
  await new Promise((done) => setTimeout(done, 30));
  assert.deepEqual(seen("a"), []);
  arrive();
  await until(() => seen("a").length === 2);
  assert.deepEqual(seen("a"), ["own", 1]);
});

test("one widget that fails, or is closed, does not keep the others back", async (t) => {
  const said = t.mock.method(console, "error", () => {});
  send({ a: { isWrong: true }, b: { n: 1 }, gone: { n: 1 }, c: { slow: Promise.reject(new Error("no")) } });
  send({ a: { n: 2 }, c: { n: 2 } });
  await until(() => seen("c").length);
  assert.deepEqual([seen("a"), seen("b"), seen("c")], [[2], [1], [2]]);
  assert.equal(said.mock.callCount(), 2);
});

test("what is out of sight comes a frame later", async () => {
  const panel = document.body.appendChild(document.createElement("div"));
  panel.className = "calibviz-panel-near";
  panel.getBoundingClientRect = () => ({ top: 0, bottom: 100, width: 100 });
  const order = [];
  for (const [id, widget] of Object.entries(widgets)) widget.set_state = () => order.push(id);
  send({ a: {}, b: {}, c: {} }, { parts: { a: "far", b: "near" } });
  await until(() => order.length === 2);
  assert.deepEqual(order, ["b", "c"]);
  await until(() => order.length === 3);
});

test("binary parts come to their places", async () => {
  const array = new DataView(new ArrayBuffer(8));
  model.trigger("msg:custom", { states: { a: { n: { x: null } } }, buffer_paths: [["a", "n", "x"]] }, [array]);
  await until(() => seen("a").length);
  assert.equal(seen("a")[0].x, array);
});

test("a page says hello, and that it is ready once it was greeted by name", async () => {
  await until(() => model.sent.length);
  const [{ hello }] = model.sent;
  model.trigger("msg:custom", { hello: "another page" });
  model.trigger("msg:custom", { hello });
  assert.deepEqual(model.sent.slice(1), [{ ready: hello }]);
});

// ---- dots

/** The area inside of a path of straight lines. */
function areaOf(path) {
  const corners = path.slice(1, -1).split("L").map((corner) => corner.split(",").map(Number));
  const next = (i) => corners[(i + 1) % corners.length];
  return Math.abs(corners.reduce((sum, [x, y], i) => sum + x * next(i)[1] - next(i)[0] * y, 0)) / 2;
}

test("each shape has the area that it is asked for", () => {
  for (const [name, shape] of Object.entries(inner.SHAPES)) {
    if (name === "circle") continue;
    for (const area of [1, 36, 120]) assert.ok(Math.abs(areaOf(shape(area)) - area) < 1e-9 * area, name);
  }
  assert.ok(inner.SHAPES.circle(Math.PI * 9).startsWith("M3,0A3,3 "));
});

test("a score and its place on the axis lead to each other", () => {
  const axis = { scores: [0.1, 0.2, 0.2, 0.6, 1], low: 2, high: 6 };
  for (const score of [0.1, 0.15, 0.3, 0.6, 0.99, 1]) {
    assert.ok(Math.abs(inner.scoreOf(inner.placeOf(score, axis), axis) - score) < 1e-12, String(score));
  }
  assert.equal(inner.placeOf(0.05, axis), null);
  assert.equal(inner.placeOf(1.01, axis), null);
  assert.equal(inner.scoreOf(3, undefined), null);
});

test("words beside a dot stay inside of the picture", () => {
  const tip = { style: {}, offsetWidth: 80, offsetHeight: 20 };
  for (const x of [0, 60, 100, 199]) {
    for (const y of [0, 50, 99]) {
      inner.placeTip(tip, { clientWidth: 200, clientHeight: 100 }, { x, y });
      const [left, top] = [parseFloat(tip.style.left), parseFloat(tip.style.top)];
      assert.ok(left >= 0 && left + 80 <= 200 && top >= 0 && top + 20 <= 100, `${x}, ${y}: ${left}, ${top}`);
    }
  }
});

test("turned names that would lie on each other are left out", () => {
  const placed = [0, 5, 13, 20, 26, 60].map((right) => [{ style: {} }, { right }]);
  inner.thinTurned(placed);
  assert.deepEqual(placed.map(([name]) => name.style.display === "none"), [false, true, false, true, false, false]);
});
