// Networks that are drawn by hand, as calibviz.simulation.drawn has them: the true probability at the scores 0, 0.1, ..., 1,
// and the heights of the density over twenty intervals. Random numbers are not Python's; what is known exactly is.

/** @typedef {{ curve: number[], density: number[], isRounded: boolean }} Network */

const CELLS = CHOICES.cells; // intervals of the density
const POPULATION = CHOICES.population; // samples that stand for infinitely many

/** The true probability at a score. */
function trueCurve(/** @type {number[]} */ curve, /** @type {number} */ score) {
  const place = score * (curve.length - 1);
  const knot = Math.min(Math.floor(place), curve.length - 2);
  return curve[knot] + (place - knot) * (curve[knot + 1] - curve[knot]);
}

/** The shares of the scores below the ends of the intervals. */
function sharesUpTo(/** @type {number[]} */ density) {
  const sums = cumulative(Float64Array.from(density));
  return sums.map((sum) => sum / sums[sums.length - 1]);
}

/**
 * The score below which a share of all lies.
 * @param {Network} network
 * @param {Float64Array} upto
 * @param {number} level
 */
function scoreAt({ density, isRounded }, upto, level) {
  let cell = 0;
  while (cell < CELLS - 1 && (upto[cell + 1] <= level || density[cell] === 0)) cell++;
  while (density[cell] === 0) cell--;
  if (isRounded) return (2 * cell + 1) / (2 * CELLS);
  return Math.min(1, (cell + (level - upto[cell]) / (upto[cell + 1] - upto[cell])) / CELLS);
}

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomOf(/** @type {number} */ seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A sample of n scores, and of labels that follow the true curve.
 * @param {Network} network
 * @param {number} n
 * @param {() => number} random
 */
function drawSample(network, n, random) {
  const upto = sharesUpTo(network.density);
  const scores = Float64Array.from({ length: n }, () => scoreAt(network, upto, random()));
  return sampleOf(scores, scores.map((score) => (random() < trueCurve(network.curve, score) ? 1 : 0)));
}

/**
 * The scores with their true probabilities, as infinitely many samples have them: ascending, since the levels are.
 * @param {Network} network
 * @returns {Sample}
 */
function populationOf(network) {
  const upto = sharesUpTo(network.density);
  const score = Float64Array.from({ length: POPULATION }, (_, i) => scoreAt(network, upto, (i + 0.5) / POPULATION));
  return { score, target: score.map((one) => trueCurve(network.curve, one)) };
}

/** TCE_p of a network, exactly. */
function trueError(/** @type {Network} */ { curve, density, isRounded }, /** @type {number} */ power) {
  const upto = sharesUpTo(density);
  let sum = 0;
  for (let cell = 0; cell < CELLS; cell++) {
    const share = upto[cell + 1] - upto[cell];
    const gap = (/** @type {number} */ score) => score - trueCurve(curve, score);
    const [below, above] = [gap(cell / CELLS), gap((cell + 1) / CELLS)];
    let mean = Math.abs((below + above) / 2) ** power;
    if (!isRounded && Math.abs(above - below) >= 1e-7) {
      mean = (Math.abs(above) ** power * above - Math.abs(below) ** power * below) / ((power + 1) * (above - below));
    }
    sum += share * mean;
  }
  return sum ** (1 / power);
}

/**
 * What an estimator is after: its own value of all there is, or the true error.
 * @param {string} name
 * @param {Network} network
 * @param {number} power
 * @param {Sample} population
 */
function truthOf(name, network, power, population) {
  if (["ks", "kuiper", "smooth"].includes(name)) return ESTIMATORS[name](population, 0, power);
  return trueError(network, name.endsWith("debiased") ? 2 : power);
}
