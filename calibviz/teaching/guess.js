// Makes a guess, and keeps its answer folded until it is made. A page that runs no scripts shows the question, and the
// answer in an element that the browser folds by itself. Nothing here asks a kernel.
(() => {
  /** @type {any} */
  const page = window;
  /** @type {Record<string, string>} The guesses made on this page, by the names of their questions. */
  const guesses = (page.calibvizGuesses ??= {});

  /**
   * @param {string} name
   * @param {Record<string, any>} [properties]
   * @param {...(Node | string)} children
   * @returns {any}
   */
  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    own(made);
    return made;
  }

  /**
   * JupyterLab would take the arrows and Enter to go to another cell: it asks the element that has the focus.
   * @param {Element | null | undefined} control
   */
  function own(control) { control?.setAttribute("data-lm-suppress-shortcuts", "true"); }

  /** @param {any} control @param {() => void} changed */
  function slider(control, changed) {
    const { low, high, step, unit } = control;
    const input = element("input", { type: "range", min: low, max: high, step });
    input.value = low;
    const seen = element("output", {}, `${input.value}${unit}`);
    const text = () => `${input.value}${unit}`;
    const show = () => {
      seen.textContent = text();
      input.setAttribute("aria-valuetext", text());
      changed();
    };
    // Who guesses the lowest value leaves the handle where it is: there is no input then.
    for (const event of ["input", "click", "keyup"]) input.addEventListener(event, show);
    return { parts: [input, seen], text };
  }

  /** @param {any} control @param {string} name @param {() => void} changed */
  function choice(control, name, changed) {
    const inputs = control.options.map((/** @type {string} */ value) =>
      element("input", { type: "radio", name: `calibviz-guess-${name}`, value }));
    const rows = inputs.map((/** @type {HTMLInputElement} */ input) => element("label", {}, input, ` ${input.value}`));
    const group = element("fieldset", {}, ...rows);
    group.addEventListener("change", changed);
    const text = () => inputs.find((/** @type {HTMLInputElement} */ input) => input.checked)?.value ?? "";
    return { parts: [group], text };
  }

  /** @param {HTMLElement} root */
  function ask(root) {
    const name = root.dataset.question ?? "";
    const control = JSON.parse(root.dataset.control ?? "{}");
    const button = element("button", { type: "submit", disabled: true }, "This is my guess");
    const allow = () => { button.disabled = false; };
    const { parts, text } = control.kind === "slider" ? slider(control, allow) : choice(control, name, allow);
    parts[0].setAttribute("aria-label", root.querySelector("p")?.textContent ?? "");
    const status = element("p");
    status.setAttribute("role", "status");
    const form = element("form", {}, ...parts, button);
    const say = () => {
      status.textContent = name in guesses ? `Your guess: ${guesses[name]}. Now look; the answer is below.` : "";
    };
    form.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      if (text()) guesses[name] = text();
      say();
    });
    root.append(form, status);
    say();
  }

  /** @param {HTMLElement} root */
  function fold(root) {
    const name = root.dataset.question ?? "";
    const details = root.querySelector("details");
    const status = element("p");
    status.setAttribute("role", "status");
    const unfold = element("button", { type: "button" }, "Show it without a guess");
    unfold.addEventListener("click", () => {
      guesses[name] = "none";
      status.replaceChildren();
      if (details) details.open = true;
    });
    const summary = details?.querySelector("summary");
    own(summary);
    summary?.addEventListener("click", (event) => {
      if (details?.open) return;
      if (name in guesses) {
        status.textContent = guesses[name] === "none" ? "" : `Your guess: ${guesses[name]}.`;
      } else {
        event.preventDefault();
        status.replaceChildren(`Guess ${name} first, above. `, unfold);
      }
    });
    details?.before(status);
  }

  for (const root of document.querySelectorAll(":is(.calibviz-guess, .calibviz-answer-of-guess):not([data-is-ready])")) {
    if (!(root instanceof HTMLElement)) continue;
    root.dataset.isReady = "";
    (root.matches(".calibviz-guess") ? ask : fold)(root);
  }
})();
