// The page: what is drawn by hand at the left, what estimators make of its samples at the right.
// PRESETS and CHOICES come before this script, from Python.

/** @typedef {Network & { n: number, bins: number, power: number, estimator: string }} Setting */
/** @typedef {{ truths: Record<string, number>, estimates: Record<string, number[]> }} Measured */

const SETS = CHOICES.sets;
const SLOW_SETS = CHOICES.slowSets; // of the estimators that take long
const KNOTS = CHOICES.knots; // scores at which the curve is given
const BARS = CHOICES.bars;
const FEWEST_FULL = CHOICES.fewestFull; // estimates from which on the highest bar fills its row
const FRAME = 12; // milliseconds of work before the page is drawn again
const PACE = 400; // milliseconds from one data set to the next, where they fall
const NAMES = Object.keys(ESTIMATORS);
const CURVE = { left: 68, right: 528, top: 12, bottom: 300 };
const DENSITY = { left: 68, right: 528, top: 12, bottom: 100 };
const ROWS = { left: 246, right: 716, top: 8, bottom: 386 };

/** @returns {any} */
const part = (/** @type {string} */ id) => document.getElementById(id);
const percent = (/** @type {number} */ share, digits = 2) => `${(100 * share).toFixed(digits)}\u00a0%`;
const points = (/** @type {number} */ share) => (100 * share).toFixed(2);
const signed = (/** @type {number} */ share) => (points(share).startsWith("-") ? "\u2212" : "+") + points(Math.abs(share));
const mean = (/** @type {number[]} */ values) => values.reduce((sum, one) => sum + one, 0) / values.length;
const within = (/** @type {number} */ value) => Math.min(1, Math.max(0, value));

function spread(/** @type {number[]} */ values) {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((one) => (one - middle) ** 2)));
}

/** Scores and labels that were typed; a sentence says which line cannot be read. */
function readOwn(/** @type {string} */ text) {
  const lines = text.split("\n").map((line, i) => ({ line: line.trim(), at: i + 1 })).filter(({ line }) => line);
  const [scores, targets] = [[], []];
  for (const { line, at } of lines) {
    const [score, target, more] = line.split(/[\s,;]+/).map(Number);
    if (!(score >= 0 && score <= 1 && (target === 0 || target === 1)) || more !== undefined) {
      throw new RangeError(`line ${at}: "${line}" is not a score from 0 to 1 and a label 0 or 1, such as 0.91, 1`);
    }
    scores.push(score);
    targets.push(target);
  }
  if (scores.length < 2) throw new RangeError("no scores: type at least two lines, such as 0.91, 1");
  return sampleOf(scores, targets);
}

/** The relative heights of a density, from scores. */
function heightsOf(/** @type {Float64Array} */ score) {
  const counts = new Array(CELLS).fill(0);
  for (const one of score) counts[Math.min(CELLS - 1, Math.floor(one * CELLS))]++;
  return counts.map((count) => count / Math.max(...counts));
}

class Playground {
  /** @type {Setting} */
  setting = { ...copyOf(PRESETS["over-confident"]), n: 200, bins: 15, power: 1, estimator: "uniform" };

  reach = 0.2;

  /** @type {{ setting: Setting, measured: Measured } | null} */
  kept = null;

  /** @type {Sample | null} */
  own = null;

  /** @type {Measured} */
  measured = { truths: {}, estimates: {} };

  /** @type {Sample[]} */
  first = [];

  goal = SETS; // data sets that are to fall
  isPaced = false;
  isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;

  constructor() {
    this.fill("n", CHOICES.sizes);
    this.fill("estimator", NAMES);
    this.fill("reach", CHOICES.reaches, (reach) => percent(reach, 0));
    part("bins").max = String(CHOICES.mostBins);
    part("truth").textContent = CHOICES.truth;
    this.curve = new Handles(part("curve"), CURVE, KNOTS.length, (place) => `true probability at the score ${percent(KNOTS[place], 0)}`,
      (place, to) => this.change({ curve: this.setting.curve.with(place, to) }));
    this.density = new Handles(part("density"), DENSITY, CELLS,
      (place) => `density of the scores from ${percent(place / CELLS, 0)} to ${percent((place + 1) / CELLS, 0)}`,
      (place, to) => {
        const density = this.setting.density.with(place, to);
        if (density.some((height) => height > 0)) this.change({ density });
      });
    for (const [name, { about }] of Object.entries(PRESETS)) {
      const button = part("presets").appendChild(document.createElement("button"));
      Object.assign(button, { type: "button", textContent: name, title: about });
      button.addEventListener("click", () => this.begin(name));
    }
    for (const [id, act] of Object.entries({
      keep: () => this.keep(), swap: () => this.swap(), forget: () => this.forget(),
      one: () => this.drop(1), hundred: () => this.drop(100), all: () => this.drop(SETS), run: () => this.fall(),
      fit: () => this.fit(), take: () => this.take(), leave: () => this.leave(),
    })) part(id).addEventListener("click", act);
    for (const name of ["n", "bins", "power"]) {
      part(name).addEventListener("input", () => this.change({ [name]: Number(part(name).value) }));
    }
    part("estimator").addEventListener("input", () => {
      this.setting.estimator = part("estimator").value;
      this.draw();
    });
    part("reach").addEventListener("input", () => {
      this.reach = Number(part("reach").value);
      this.draw();
    });
    this.restart();
  }

  /** @param {string} id @param {any[]} values @param {(value: any) => string} named */
  fill(id, values, named = String) {
    part(id).replaceChildren(...values.map((value) => new Option(named(value), String(value))));
  }

  begin(/** @type {string} */ name) {
    const { curve, density, isRounded } = copyOf(PRESETS[name]);
    const has = PRESETS[name].hasDensity || this.setting.isRounded;
    this.change(has ? { curve, density, isRounded } : { curve });
  }

  change(/** @type {Partial<Setting>} */ changed) {
    Object.assign(this.setting, changed);
    this.restart();
  }

  /** Begin anew: as many data sets fall as before. */
  restart() {
    const { power } = this.setting;
    const population = populationOf(this.setting);
    const truths = Object.fromEntries(NAMES.map((name) => [name, truthOf(name, this.setting, power, population)]));
    this.measured = { truths, estimates: Object.fromEntries(NAMES.map((name) => [name, []])) };
    this.separation = [mean([...population.target]), spread([...population.target])];
    this.random = randomOf(CHOICES.seed);
    this.first = [];
    this.fallen = 0;
    this.goOn();
  }

  goOn() {
    this.draw();
    if (this.isBusy) return;
    this.isBusy = true;
    requestAnimationFrame((now) => this.work(now));
  }

  work(/** @type {number} */ now) {
    const isOver = () => performance.now() - now > FRAME;
    if (this.fallen < this.goal && this.isPaced && !this.isStill) {
      if (now - (this.last ?? -Infinity) >= PACE) {
        this.last = now;
        for (let i = Math.max(1, Math.round(this.fallen / 4)); i > 0 && this.fallen < this.goal; i--) this.let();
      }
    } else {
      while (this.fallen < this.goal && !isOver()) this.let();
    }
    if (this.fallen === this.goal || this.isPaced) {
      for (const name of SLOW) {
        const known = this.measured.estimates[name];
        while (known.length < this.first.length && known.length < this.fallen && !isOver()) {
          known.push(this.of(name, this.first[known.length]));
        }
      }
    }
    const slow = Math.min(this.fallen, SLOW_SETS);
    const isDone = this.fallen === this.goal && [...SLOW].every((name) => this.measured.estimates[name].length === slow);
    if (isDone) this.isPaced = false;
    this.isBusy = !isDone;
    if (isDone || !this.isStill) this.draw();
    if (this.isBusy) requestAnimationFrame((next) => this.work(next));
  }

  /** One more data set falls. */
  let() {
    this.sample = drawSample(this.setting, this.setting.n, this.random);
    this.fallen++;
    if (this.first.length < SLOW_SETS) this.first.push(this.sample);
    for (const name of NAMES) if (!SLOW.has(name)) this.measured.estimates[name].push(this.of(name, this.sample));
  }

  of(/** @type {string} */ name, /** @type {Sample} */ sample) {
    return ESTIMATORS[name](sample, this.setting.bins, this.setting.power);
  }

  drop(/** @type {number} */ more) {
    this.isPaced = false;
    const fallen = this.fallen;
    this.goal = Math.min(SETS, fallen === SETS ? more : fallen + more);
    if (fallen === SETS) this.restart();
    else this.goOn();
  }

  /** Let data sets fall one by one, or stop. */
  fall() {
    if (this.isPaced) {
      this.isPaced = false;
      this.goal = this.fallen;
      return this.draw();
    }
    this.isPaced = true;
    this.goal = SETS;
    if (this.fallen === SETS) this.restart();
    else this.goOn();
  }

  keep() {
    this.kept = { setting: structuredClone(this.setting), measured: this.measured };
    this.draw();
  }

  swap() {
    if (!this.kept) return;
    const { setting } = this.kept;
    this.keep();
    this.setting = structuredClone(setting);
    this.restart();
  }

  forget() {
    this.kept = null;
    this.draw();
  }

  fit() {
    const { truths, estimates } = this.measured;
    const most = Math.max(...NAMES.map((name) => {
      const ordered = [...estimates[name]].filter(Number.isFinite).sort((a, b) => a - b);
      return Math.max(truths[name], ordered[Math.floor(CHOICES.nearlyAll * (ordered.length - 1))] ?? 0);
    }));
    this.reach = CHOICES.reaches.find((/** @type {number} */ reach) => reach >= most) ?? 1;
    this.draw();
  }

  take() {
    part("refused").textContent = "";
    try {
      this.own = readOwn(part("own").value);
    } catch (error) {
      part("refused").textContent = error.message;
      return;
    }
    const n = this.own.score.length;
    this.fill("n", [...new Set([...CHOICES.sizes, n])].sort((a, b) => a - b));
    this.change({ n, density: heightsOf(this.own.score), isRounded: false });
  }

  leave() {
    this.own = null;
    this.draw();
  }

  draw() {
    const { setting, measured, kept } = this;
    const { estimator, n, bins } = setting;
    const sample = this.own ?? this.sample;
    for (const name of ["n", "bins", "power", "estimator"]) part(name).value = String(setting[name]);
    part("bins-said").textContent = String(bins);
    part("reach").value = String(this.reach);
    for (const id of ["swap", "forget", "key-of-a"]) part(id).toggleAttribute("hidden", !kept);
    part("leave").hidden = !this.own;
    part("run").textContent = this.isPaced ? "stop" : "let them fall";
    for (const button of part("presets").children) {
      const of = PRESETS[/** @type {string} */ (button.textContent)];
      const isIt = String(of.curve) === String(setting.curve) && of.isRounded === setting.isRounded;
      button.setAttribute("aria-pressed", String(isIt));
    }
    const words = this.wordsOf(setting, measured);
    const [average, apart] = this.separation ?? [NaN, NaN];
    part("words").textContent = sample
      ? `${words}; ${this.own ? "your" : "this"} sample gives ${percent(this.of(estimator, sample))}.`
      : `${words}.`;
    part("words").setAttribute("aria-busy", String(Boolean(this.isBusy))); // read out once, when all have fallen
    part("separation").textContent = apart < 5e-5
      ? `The true probability is ${percent(average)} for everybody: that the error is small sets no two samples apart.`
      : `True probabilities: ${percent(average)} on average, spread by ${points(apart)} points.`;
    part("comparison").textContent = kept ? `A: ${this.wordsOf(kept.setting, kept.measured)}.` : "";
    part("heading").textContent = `Estimates of ${mostOf(measured).toLocaleString("en")} data sets, ${n.toLocaleString("en")} samples each`;
    this.curve.draw(setting.curve, pictureOfCurve(setting, kept?.setting, sample));
    this.density.draw(setting.density, pictureOfDensity(setting, sample));
    const current = sample && Object.fromEntries(NAMES.map((name) => [
      name, SLOW.has(name) && this.isBusy ? NaN : this.currentOf(name, sample),
    ]));
    part("estimates").innerHTML = pictureOfEstimates(measured, kept?.measured, estimator, this.reach, current ?? {});
    part("estimates").setAttribute("aria-label", `Histograms of the estimates: ${words}`);
    for (const row of part("estimates").querySelectorAll("[data-name]")) {
      row.addEventListener("click", () => {
        setting.estimator = row.dataset.name;
        this.draw();
      });
    }
  }

  /** The estimate of the sample on screen, which is computed once. */
  currentOf(/** @type {string} */ name, /** @type {Sample} */ sample) {
    const key = `${name} ${this.setting.bins} ${this.setting.power}`;
    if (this.shown?.sample !== sample) this.shown = { sample, values: {} };
    this.shown.values[key] ??= this.of(name, sample);
    return this.shown.values[key];
  }

  wordsOf(/** @type {Setting} */ { estimator, n }, /** @type {Measured} */ { truths, estimates }) {
    const values = estimates[estimator].filter(Number.isFinite);
    const truth = truths[estimator];
    const text = `True error ${percent(truth)}`;
    if (values.length < 2) return text;
    const off = mean(values) - truth;
    const isRight = Math.abs(off) <= Math.max((2 * spread(values)) / Math.sqrt(values.length), 5e-5);
    const said = isRight ? "about right" : `${points(Math.abs(off))} points too ${off > 0 ? "much" : "little"}`;
    return `${text}. ${values.length.toLocaleString("en")} estimates (${n.toLocaleString("en")} samples each): ${percent(mean(values))} on average, ${said}, `
      + `and spread by ${points(spread(values))} points`;
  }
}

/** How many data sets were measured, by the estimator that has measured the most. */
const mostOf = (/** @type {Measured} */ { estimates }) => Math.max(...NAMES.map((name) => estimates[name].length));

/** A network of a preset that can be changed. */
function copyOf(/** @type {any} */ { curve, density, isRounded }) {
  return { curve: [...curve], density: [...density], isRounded };
}

/** Points that are dragged up and down, or moved by keys, over a picture. */
class Handles {
  /**
   * @param {SVGSVGElement} svg
   * @param {{ left: number, right: number, top: number, bottom: number }} box
   * @param {number} count
   * @param {(place: number) => string} named
   * @param {(place: number, to: number) => void} moved
   */
  constructor(svg, box, count, named, moved) {
    this.box = box;
    this.picture = svg.appendChild(element("g", {}));
    this.knobs = Array.from({ length: count }, (_, place) => {
      const at = count === CELLS ? (place + 0.5) / count : place / (count - 1);
      const knob = svg.appendChild(element("path", {
        class: "knob", d: "M0 -9 L6 0 L0 9 L-6 0 Z", tabindex: "0", role: "slider", "aria-label": named(place),
        "aria-orientation": "vertical", "aria-valuemin": "0", "aria-valuemax": "100",
      }));
      const x = box.left + at * (box.right - box.left);
      knob.addEventListener("pointerdown", (event) => {
        knob.setPointerCapture(event.pointerId);
        knob.focus();
        event.preventDefault();
      });
      knob.addEventListener("pointermove", (event) => {
        if (!knob.hasPointerCapture(event.pointerId)) return;
        const { top, height } = svg.getBoundingClientRect();
        const y = ((event.clientY - top) / height) * svg.viewBox.baseVal.height;
        moved(place, Math.round(1000 * within((box.bottom - y) / (box.bottom - box.top))) / 1000);
      });
      knob.addEventListener("keydown", (event) => {
        const now = Number(knob.getAttribute("aria-valuenow")) / 100;
        const step = event.shiftKey ? 0.05 : 0.01;
        const to = { ArrowUp: now + step, ArrowRight: now + step, ArrowDown: now - step, ArrowLeft: now - step,
          PageUp: now + 0.1, PageDown: now - 0.1, Home: 0, End: 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        moved(place, Math.round(1000 * within(to)) / 1000);
      });
      return { knob, x };
    });
  }

  draw(/** @type {number[]} */ values, /** @type {string} */ picture) {
    this.picture.innerHTML = picture;
    this.knobs.forEach(({ knob, x }, place) => {
      const y = this.box.bottom - values[place] * (this.box.bottom - this.box.top);
      knob.setAttribute("transform", `translate(${x} ${y})`);
      knob.setAttribute("aria-valuenow", String(Math.round(1000 * values[place]) / 10));
      knob.setAttribute("aria-valuetext", percent(values[place], 1));
    });
  }
}

/** @param {string} name @param {Record<string, string>} attributes */
function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Places in a box of a picture, of numbers from 0 to 1. */
const placesIn = (/** @type {{ left: number, right: number, top: number, bottom: number }} */ box) => ({
  x: (/** @type {number} */ share) => (box.left + share * (box.right - box.left)).toFixed(1),
  y: (/** @type {number} */ share) => (box.bottom - share * (box.bottom - box.top)).toFixed(1),
});

/** The axes of a picture in per cent. */
function axes(/** @type {any} */ box, /** @type {number[]} */ ofY, /** @type {(share: number) => string} */ named) {
  const { x, y } = placesIn(box);
  const across = [0, 0.2, 0.4, 0.6, 0.8, 1].map((at) => `<path class="grid" d="M${x(at)} ${box.top}V${box.bottom}"/>`
    + `<text x="${x(at)}" y="${box.bottom + 18}" text-anchor="middle">${percent(at, 0)}</text>`);
  const up = ofY.map((at) => `<path class="grid" d="M${box.left} ${y(at)}H${box.right}"/>`
    + `<text x="${box.left - 8}" y="${Number(y(at)) + 4}" text-anchor="end">${named(at)}</text>`);
  return across.join("") + up.join("");
}

function pictureOfCurve(/** @type {Setting} */ setting, /** @type {Setting | undefined} */ kept, /** @type {Sample | undefined} */ sample) {
  const { x, y } = placesIn(CURVE);
  const line = (/** @type {number[]} */ curve) => curve.map((to, i) => `${i ? "L" : "M"}${x(KNOTS[i])} ${y(to)}`).join("");
  const cuts = sample && (setting.estimator === "sweep" ? massCuts(sample, sweep(sample, massCuts))
    : setting.estimator === "uniform sweep" ? uniformCuts(sample, sweep(sample, uniformCuts))
      : setting.estimator.startsWith("equal-mass") ? massCuts(sample, setting.bins) : uniformCuts(sample, setting.bins));
  const dots = (sample ? binsOf(sample, cuts) : []).map(({ count, score, target }) => {
    const [low, high] = wilson(target, count);
    return `<path class="interval" d="M${x(score)} ${y(low)}V${y(high)}"/><circle class="bin" cx="${x(score)}" cy="${y(target)}" r="4">`
      + `<title>${count} samples: predicted ${percent(score)}, observed ${percent(target)}</title></circle>`;
  });
  return `${axes(CURVE, [0, 0.2, 0.4, 0.6, 0.8, 1], (at) => percent(at, 0))}
    <text x="${(CURVE.left + CURVE.right) / 2}" y="${CURVE.bottom + 36}" text-anchor="middle">score</text>
    <path class="diagonal" d="M${x(0)} ${y(0)}L${x(1)} ${y(1)}"/>
    ${kept ? `<path class="behind" d="${line(kept.curve)}"/>` : ""}<path class="truth" d="${line(setting.curve)}"/>${dots.join("")}`;
}

/** The 95 % interval of a share by Wilson's formula. */
function wilson(/** @type {number} */ share, /** @type {number} */ count) {
  const z = 1.959963984540054;
  const middle = (share + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
  const reach = (z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2))) / (1 + z ** 2 / count);
  return [middle - reach, middle + reach];
}

function pictureOfDensity(/** @type {Setting} */ { density }, /** @type {Sample | undefined} */ sample) {
  const { x, y } = placesIn(DENSITY);
  const total = density.reduce((sum, one) => sum + one, 0);
  const drawn = new Array(CELLS).fill(0);
  for (const score of sample?.score ?? []) drawn[Math.min(CELLS - 1, Math.floor(score * CELLS))] += total / sample.score.length;
  const steps = (/** @type {number[]} */ heights) => heights
    .map((height, i) => `L${x(i / CELLS)} ${y(Math.min(1.08, height))}L${x((i + 1) / CELLS)} ${y(Math.min(1.08, height))}`).join("");
  return `${axes(DENSITY, [0, 1], (at) => (at ? "most" : "0"))}
    <path class="histogram" d="M${x(0)} ${y(0)}${steps(drawn)}L${x(1)} ${y(0)}Z"/>
    <path class="truth" d="M${x(0)} ${y(density[0])}${steps(density)}"/>`;
}

/**
 * @param {Measured} measured
 * @param {Measured | undefined} kept
 * @param {string} chosen
 * @param {number} reach
 * @param {Record<string, number>} current
 */
function pictureOfEstimates({ truths, estimates }, kept, chosen, reach, current) {
  const row = (ROWS.bottom - ROWS.top) / NAMES.length;
  const sets = mostOf({ truths, estimates });
  const x = (/** @type {number} */ value) => (ROWS.left + (value / reach) * (ROWS.right - ROWS.left)).toFixed(1);
  const outline = (/** @type {number[]} */ values, /** @type {number} */ base) => {
    const counts = new Array(BARS).fill(0);
    for (const one of values) if (one <= reach) counts[Math.min(BARS - 1, Math.floor((one / reach) * BARS))]++;
    const most = Math.max(FEWEST_FULL, ...counts);
    const bars = counts.map((count, i) => {
      const y = (base - (CHOICES.row * row * count) / most).toFixed(1);
      return `L${x((i * reach) / BARS)} ${y}L${x(((i + 1) * reach) / BARS)} ${y}`;
    });
    return `M${ROWS.left} ${base}${bars.join("")}L${ROWS.right} ${base}`;
  };
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => `<path class="grid" d="M${x(share * reach)} ${ROWS.top}V${ROWS.bottom}"/>`
    + `<text x="${x(share * reach)}" y="${ROWS.bottom + 18}" text-anchor="middle">${percent(share * reach, reach < 0.1 ? 1 : 0)}</text>`);
  const rows = NAMES.map((name, i) => {
    const base = ROWS.top + (i + 1) * row;
    const values = estimates[name].filter(Number.isFinite);
    const fewer = values.length < sets ? ` (${values.length.toLocaleString("en")} sets)` : "";
    const off = values.length ? `${signed(mean(values) - truths[name])} ± ${points(spread(values))}${fewer}` : "";
    const beyond = values.filter((one) => one > reach).length;
    const isIn = (/** @type {number} */ value) => value <= reach;
    return `<g data-name="${name}" class="row${name === chosen ? " chosen" : ""}">
      <rect x="0" y="${base - row}" width="${ROWS.right}" height="${row}"/>
      <text x="4" y="${base - 9}"><tspan class="name">${name}</tspan> <tspan class="off">${off}</tspan></text>
      <path class="base" d="M${ROWS.left} ${base}H${ROWS.right}"/>
      <path class="histogram" d="${outline(values, base)}Z"/>
      ${kept ? `<path class="behind" d="${outline(kept.estimates[name].filter(Number.isFinite), base)}"/>` : ""}
      ${isIn(truths[name]) ? `<path class="truth" d="M${x(truths[name])} ${base - row}V${base}"/>` : ""}
      ${values.length && isIn(mean(values)) ? `<circle class="mean" cx="${x(mean(values))}" cy="${base}" r="4"/>` : ""}
      ${isIn(current[name]) ? `<circle class="ring" cx="${x(current[name])}" cy="${base}" r="7"/>` : ""}
      ${beyond ? `<text x="${ROWS.right}" y="${base - 9}" text-anchor="end">${beyond} beyond</text>` : ""}</g>`;
  });
  return `${ticks.join("")}${rows.join("")}<text x="${(ROWS.left + ROWS.right) / 2}" y="${ROWS.bottom + 34}" text-anchor="middle">estimate</text>`;
}

if (globalThis.document?.getElementById("playground")) new Playground();
