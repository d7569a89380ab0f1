import assert from "node:assert/strict";
import { test } from "node:test";
import { load, openPage, press } from "./page.js";

openPage();
const { ESTIMATORS, Handles, drawSample, heightsOf, randomOf, readOwn, sampleOf, scoreAt, sharesUpTo, spread, trueCurve,
  trueError } = await load("playground", "ESTIMATORS", "Handles", "drawSample", "heightsOf", "randomOf", "readOwn", "sampleOf",
  "scoreAt", "sharesUpTo", "spread", "trueCurve", "trueError");

const DIAGONAL = Array.from({ length: 11 }, (_, k) => k / 10);
const FLAT = new Array(20).fill(1);

test("equal scores share their mean target, in the order of scores", () => {
  const { score, target } = sampleOf([0.9, 0.2, 0.2, 0.1], [1, 1, 0, 0]);
  assert.deepEqual([...score], [0.1, 0.2, 0.2, 0.9]);
  assert.deepEqual([...target], [0, 0.5, 0.5, 1]);
});

test("every estimator is 0 of scores that are their targets", () => {
  const sample = sampleOf([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]);
  for (const name of Object.keys(ESTIMATORS).filter((one) => one !== "kde")) {
    assert.ok(Math.abs(ESTIMATORS[name](sample, 4, 2)) < 1e-12, name);
  }
  assert.ok(Number.isNaN(ESTIMATORS.kde(sample, 4, 2))); // its positive scores are all 1
});

test("the true error of a drawn network is exact", () => {
  const noisy = DIAGONAL.map((c) => 0.1 + 0.8 * c);
  const network = (curve, isRounded = false) => ({ curve, density: FLAT, isRounded });
  assert.ok(Math.abs(trueError(network(noisy), 1) - 0.05) < 1e-12);
  assert.ok(Math.abs(trueError(network(new Array(11).fill(0.5)), 2) - Math.sqrt(1 / 12)) < 1e-12);
  assert.ok(trueError(network(DIAGONAL, true), 1) < 1e-12);
  assert.ok(Math.abs(trueCurve(noisy, 0.25) - 0.3) < 1e-12);
});

test("scores come from intervals that have a height, and rounded ones are their middles", () => {
  const density = FLAT.map((_, i) => Number(i === 3 || i === 19));
  const upto = sharesUpTo(density);
  const at = (level, isRounded = false) => scoreAt({ curve: DIAGONAL, density, isRounded }, upto, level);
  assert.ok(Math.abs(at(0) - 0.15) < 1e-12 && Math.abs(at(0.25) - 0.175) < 1e-12 && Math.abs(at(0.75) - 0.975) < 1e-12);
  assert.deepEqual([at(0.1, true), at(0.9, true)], [0.175, 0.975]);
});

test("a seed repeats its samples", () => {
  const network = { curve: DIAGONAL, density: FLAT, isRounded: false };
  assert.deepEqual(drawSample(network, 50, randomOf(7)), drawSample(network, 50, randomOf(7)));
  assert.notDeepEqual(drawSample(network, 50, randomOf(7)), drawSample(network, 50, randomOf(8)));
  assert.equal(spread([1, 1, 1]), 0);
});

test("scores that are typed are read, and a line that is none is named", () => {
  const { score, target } = readOwn("0.9, 1\n\n 0.2;0 \n");
  assert.deepEqual([[...score], [...target]], [[0.2, 0.9], [0, 1]]);
  assert.deepEqual(heightsOf(score).map((height, i) => height && i).filter(Boolean), [4, 18]);
  assert.throws(() => readOwn("score,label\n0.9,1"), /^RangeError: line 1: "score,label" is not a score from 0 to 1/);
  assert.throws(() => readOwn("0.9,1\n0.8,1,3"), /line 2: "0.8,1,3"/);
  assert.throws(() => readOwn(" "), /type at least two lines/);
});

test("keys move a point, and it says where it is", () => {
  const page = openPage('<svg viewBox="0 0 560 340"></svg>');
  const moves = [];
  const box = { left: 50, right: 530, top: 10, bottom: 300 };
  const handles = new Handles(page.querySelector("svg"), box, 11, (place) => `point ${place}`, (...move) => moves.push(move));
  handles.draw(DIAGONAL, "<circle/>");
  const knobs = page.querySelectorAll(".knob");
  assert.equal(knobs.length, 11);
  assert.equal(knobs[3].getAttribute("aria-valuenow"), "30");
  for (const key of ["ArrowUp", "PageDown", "End", "a"]) press(knobs[3], key);
  assert.deepEqual(moves, [[3, 0.31], [3, 0.2], [3, 1]]);
});
