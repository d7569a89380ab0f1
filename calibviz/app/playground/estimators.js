// What each estimator makes of one sample, as calibviz.simulation.estimators measures it: tests hold every number against
// Python's. A sample is { score, target }, two arrays of one length, the scores ascending.

/** @typedef {{ score: Float64Array, target: Float64Array }} Sample */
/** @typedef {(sample: Sample, bins: number, power: number) => number} Estimator */

const FALL = 1e-9; // by which means of a sweep may fall
const GRID_POINTS = 2 ** 14; // of the kernel density
const NEGLIGIBLE = 1e-6;
const COARSE_CELLS = 2 ** 13; // of the smooth error, and those of a small one
const FINE_CELLS = 2 ** 17;
const FINE = 2e-3;

/** @type {Record<string, Estimator>} In the order of Python's, from top to bottom. */
const ESTIMATORS = {
  uniform: (sample, bins, power) => binned(sample, uniformCuts(sample, bins), power),
  "equal-mass": (sample, bins, power) => binned(sample, massCuts(sample, bins), power),
  "uniform label-binned": (sample, bins, power) => labelBinned(sample, uniformCuts(sample, bins), power),
  "equal-mass label-binned": (sample, bins, power) => labelBinned(sample, massCuts(sample, bins), power),
  "uniform debiased": (sample, bins) => debiased(sample, uniformCuts(sample, bins)),
  "equal-mass debiased": (sample, bins) => debiased(sample, massCuts(sample, bins)),
  "uniform sweep": (sample, _bins, power) => binned(sample, uniformCuts(sample, sweep(sample, uniformCuts)), power),
  sweep: (sample, _bins, power) => binned(sample, massCuts(sample, sweep(sample, massCuts)), power),
  ks: (sample) => Math.max(...cumulativeRange(sample).map(Math.abs)),
  kuiper: (sample) => {
    const [least, most] = cumulativeRange(sample);
    return Math.min(1, Math.max(0, most) - Math.min(0, least));
  },
  kde: (sample, _bins, power) => kernelDensity(sample, power) ** (1 / power),
  smooth: (sample) => smooth(sample),
};
const SLOW = new Set(["kde", "smooth"]);

/**
 * A sample of scores in any order; equal scores share their mean target.
 * @param {ArrayLike<number>} scores
 * @param {ArrayLike<number>} targets
 * @returns {Sample}
 */
function sampleOf(scores, targets) {
  const order = Array.from(scores, (_, i) => i).sort((i, j) => scores[i] - scores[j]);
  const score = Float64Array.from(order, (i) => scores[i]);
  const target = Float64Array.from(order, (i) => targets[i]);
  for (let first = 0, end = 1; first < score.length; first = end++) {
    while (end < score.length && score[end] === score[first]) end++;
    if (end - first === 1) continue;
    target.fill(target.subarray(first, end).reduce((sum, one) => sum + one, 0) / (end - first), first, end);
  }
  return { score, target };
}

/** The sums of the first 0, 1, ..., n values. */
function cumulative(/** @type {Float64Array} */ values) {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i] + values[i];
  return sums;
}

/** Where bins of equal width are cut: how many scores lie below each edge. */
function uniformCuts(/** @type {Sample} */ { score }, /** @type {number} */ bins) {
  const cuts = [0];
  let at = 0;
  for (let k = 1; k < bins; k++) {
    while (at < score.length && score[at] < k / bins) at++;
    cuts.push(at);
  }
  return [...cuts, score.length];
}

/** Where bins of equal mass are cut. */
function massCuts(/** @type {Sample} */ { score }, /** @type {number} */ bins) {
  return Array.from({ length: bins + 1 }, (_, k) => Math.ceil((k * score.length) / bins));
}

/**
 * The bins that hold samples.
 * @param {Sample} sample
 * @param {number[]} cuts
 */
function binsOf({ score, target }, cuts) {
  const found = [];
  for (let b = 1; b < cuts.length; b++) {
    const [first, end] = [cuts[b - 1], cuts[b]];
    if (first === end) continue;
    let [scores, targets] = [0, 0];
    for (let i = first; i < end; i++) {
      scores += score[i];
      targets += target[i];
    }
    const count = end - first;
    found.push({ first, end, count, score: scores / count, target: targets / count });
  }
  return found;
}

function binned(/** @type {Sample} */ sample, /** @type {number[]} */ cuts, /** @type {number} */ power) {
  let sum = 0;
  for (const { count, score, target } of binsOf(sample, cuts)) sum += count * Math.abs(score - target) ** power;
  return (sum / sample.score.length) ** (1 / power);
}

function labelBinned(/** @type {Sample} */ sample, /** @type {number[]} */ cuts, /** @type {number} */ power) {
  let sum = 0;
  for (const { first, end, target } of binsOf(sample, cuts)) {
    for (let i = first; i < end; i++) sum += Math.abs(sample.score[i] - target) ** power;
  }
  return Math.min(1, (sum / sample.score.length) ** (1 / power));
}

function debiased(/** @type {Sample} */ sample, /** @type {number[]} */ cuts) {
  let sum = 0;
  for (const { count, score, target } of binsOf(sample, cuts)) {
    if (count >= 2) sum += count * ((score - target) ** 2 - (target * (1 - target)) / (count - 1));
  }
  return Math.sqrt(Math.max(0, sum / sample.score.length));
}

/**
 * The largest number of bins for which it, and all smaller ones, have means that do not fall.
 * @param {Sample} sample
 * @param {(sample: Sample, bins: number) => number[]} cut
 */
function sweep(sample, cut) {
  const { score, target } = sample;
  const most = Math.max(1, score.length - 1);
  if (score[0] === score[score.length - 1]) return 1;
  if (target.every((one, i) => i === 0 || one >= target[i - 1] - FALL / score.length)) return most;
  const sums = cumulative(target);
  for (let bins = 2; bins <= most; bins++) {
    const cuts = cut(sample, bins);
    let before = -Infinity;
    for (let b = 1; b < cuts.length; b++) {
      if (cuts[b] === cuts[b - 1]) continue;
      const mean = (sums[cuts[b]] - sums[cuts[b - 1]]) / (cuts[b] - cuts[b - 1]);
      if (mean < before - FALL) return bins - 1;
      before = mean;
    }
  }
  return most;
}

/** The least and the greatest difference of the cumulative curves of targets and of scores. */
function cumulativeRange(/** @type {Sample} */ { score, target }) {
  let [sum, least, most] = [0, Infinity, -Infinity];
  for (let i = 0; i < score.length; i++) {
    sum += target[i] - score[i];
    least = Math.min(least, sum);
    most = Math.max(most, sum);
  }
  return [least / score.length, most / score.length];
}

/** The mean of |c - T(c)|^power by kernel densities; NaN where there is no bandwidth. */
function kernelDensity(/** @type {Sample} */ { score, target }, /** @type {number} */ power) {
  const step = 1 / (GRID_POINTS - 1);
  const positive = target.reduce((sum, one) => sum + one, 0);
  const mean = target.reduce((sum, one, i) => sum + one * score[i], 0) / positive;
  const variance = target.reduce((sum, one, i) => sum + one * (score[i] - mean) ** 2, 0) / positive;
  const width = 3 * Math.sqrt(variance) * (2 * score.length) ** -0.2;
  if (!(positive > 0 && width >= step)) return NaN;
  const hit = new Float64Array(GRID_POINTS);
  const all = new Float64Array(GRID_POINTS);
  const add = (/** @type {number} */ at, /** @type {number} */ mass) => {
    const last = Math.min(GRID_POINTS - 1, Math.floor((at + width) / step));
    for (let i = Math.max(0, Math.ceil((at - width) / step)); i <= last; i++) {
      const apart = (i * step - at) / width;
      const rest = Math.max(0, 1 - apart * apart);
      const kernel = rest * rest * rest;
      all[i] += kernel;
      hit[i] += mass * kernel;
    }
  };
  for (let i = 0; i < score.length; i++) {
    add(score[i], target[i]);
    if (score[i] < width) add(-score[i], target[i]); // mirrored at 0 and at 1
    if (score[i] >= 1 - width) add(2 - score[i], target[i]);
  }
  const [ofHit, ofAll] = [positive, score.length].map((mass) => 35 / 32 / width / mass);
  let [before, sum, mass] = [0, 0, 0];
  for (let i = 0; i < GRID_POINTS; i++) {
    const [f1, f2] = [hit[i] * ofHit, all[i] * ofAll];
    if (Math.max(f1, f2) > NEGLIGIBLE) {
      const curve = f2 > 0 ? Math.min(1, ((positive / score.length) * f1) / f2) : 1;
      before = Math.abs(i * step - curve) ** power * f2;
    }
    const share = i === 0 || i === GRID_POINTS - 1 ? 0.5 : 1;
    sum += share * before;
    mass += share * f2;
  }
  return sum / mass;
}

/** The smooth calibration error: the width of a kernel at which the smoothed residuals integrate to it. */
function smooth(/** @type {Sample} */ sample) {
  let value = crossing(spectrum(sample, COARSE_CELLS));
  if (value > 0 && value < FINE) value = crossing(spectrum(sample, FINE_CELLS));
  return Math.min(1, value);
}

function spectrum(/** @type {Sample} */ { score, target }, /** @type {number} */ cells) {
  const density = new Float64Array(cells + 1);
  for (let i = 0; i < score.length; i++) {
    const place = Math.min(1, Math.max(0, score[i])) * cells;
    const left = Math.min(Math.trunc(place), cells - 1);
    const residual = ((target[i] - score[i]) / score.length) * cells;
    density[left] += residual * (1 - (place - left));
    density[left + 1] += residual * (place - left);
  }
  density[0] *= 2; // the end nodes stand for half a cell
  density[cells] *= 2;
  return cosines(density);
}

/** The integral of what is left of the residuals after smoothing. */
function smoothedError(/** @type {Float64Array} */ transform, /** @type {number} */ sigma) {
  const cells = transform.length - 1;
  const damped = transform.map((one, k) => one * Math.exp(-0.5 * (Math.PI * sigma * k) ** 2));
  const height = cosines(damped).map((one) => Math.abs(one) / (2 * cells));
  return (height.reduce((sum, one) => sum + one, 0) - (height[0] + height[cells]) / 2) / cells;
}

/** The sigma at which the smoothed error is sigma, by the Illinois rule. */
function crossing(/** @type {Float64Array} */ transform) {
  const largest = smoothedError(transform, 0);
  if (largest === 0) return 0;
  let [low, atLow, high] = [0, largest, 2 * largest];
  let atHigh = smoothedError(transform, high) - high;
  for (let i = 0, side = 0; i < 100 && high - low > 1e-12; i++) {
    const middle = (low * atHigh - high * atLow) / (atHigh - atLow);
    const at = smoothedError(transform, middle) - middle;
    if (Math.abs(at) < 1e-13) return middle;
    if (at > 0) {
      [low, atLow] = [middle, at];
      if (side === 1) atHigh /= 2;
      side = 1;
    } else {
      [high, atHigh] = [middle, at];
      if (side === -1) atLow /= 2;
      side = -1;
    }
  }
  return (low + high) / 2;
}

/** The cosine transform of type I of 2^k + 1 values, by a Fourier transform of their even extension. */
function cosines(/** @type {Float64Array} */ values) {
  const cells = values.length - 1;
  const real = new Float64Array(2 * cells);
  real.set(values);
  for (let i = 1; i < cells; i++) real[2 * cells - i] = values[i];
  fourier(real, new Float64Array(2 * cells));
  return real.slice(0, cells + 1);
}

/** @type {Map<number, Float64Array>} Cosines and sines of a Fourier transform, by its size. */
const TURNS = new Map();

/** The Fourier transform of 2^k numbers, in place. */
function fourier(/** @type {Float64Array} */ real, /** @type {Float64Array} */ imaginary) {
  const size = real.length;
  if (!TURNS.has(size)) {
    TURNS.set(size, Float64Array.from({ length: size }, (_, i) => {
      const angle = (-2 * Math.PI * (i >> 1)) / size;
      return i % 2 ? Math.sin(angle) : Math.cos(angle);
    }));
  }
  const turns = TURNS.get(size);
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    [real[i], real[j]] = [real[j], real[i]];
    [imaginary[i], imaginary[j]] = [imaginary[j], imaginary[i]];
  }
  for (let half = 1; half < size; half *= 2) {
    const every = size / half / 2;
    for (let first = 0; first < size; first += 2 * half) {
      for (let k = 0; k < half; k++) {
        const [cosine, sine] = [turns[2 * k * every], turns[2 * k * every + 1]];
        const [a, b] = [first + k, first + k + half];
        const x = real[b] * cosine - imaginary[b] * sine;
        const y = real[b] * sine + imaginary[b] * cosine;
        real[b] = real[a] - x;
        imaginary[b] = imaginary[a] - y;
        real[a] += x;
        imaginary[a] += y;
      }
    }
  }
}
