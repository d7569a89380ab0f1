// The recorded states of a page: a control that is moved puts the parts of its state in the place of those before.
// Nothing is computed or drawn here. Without this the page shows the state that it begins with.

/**
 * @typedef {object} Recorded
 * @property {{word: string, start: number, crossed: boolean, texts: string[]}[]} moves
 * @property {string[]} names Of the parts of a state.
 * @property {Object<string, number[]>} states The parts of each state, as places in `parts`, by its positions.
 * @property {string[]} parts
 */

/**
 * The positions after a move, and the words of the choices that went back to where the page began. Those that are
 * crossed move together; of the others each moves by itself, from the state that the page began with.
 * @param {Recorded["moves"]} moves
 * @param {number[]} positions
 */
function moved(moves, positions, at, position) {
  const after = moves.map((move, i) => {
    if (i === at) return position;
    return moves[at].crossed && move.crossed ? positions[i] : move.start;
  });
  const back = moves.filter((_, i) => i !== at && after[i] !== positions[i]).map((move) => move.word);
  return { positions: after, back };
}

/** @returns {Promise<Recorded>} */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

async function followMoves(form, holder) {
  const { moves, names, states, parts } = await unpacked(holder.textContent);
  holder.remove();
  const controls = [...form.elements].filter((control) => "move" in control.dataset);
  const said = form.querySelector("[role=status]");
  let current = moves.map((move) => move.start);

  function show(positions) {
    const [before, after] = [states[current.join()], states[positions.join()]];
    names.forEach((name, i) => {
      if (before[i] === after[i]) return;
      const place = document.getElementById(`part-${name}`);
      place.innerHTML = parts[after[i]];
      enliven(place);
    });
    current = positions;
  }

  function place() {
    for (const control of controls) {
      const at = Number(control.dataset.move);
      control.value = String(current[at]);
      const output = control.parentElement.querySelector("output");
      if (output) output.textContent = moves[at].texts[current[at]];
      if (control.type === "range") control.setAttribute("aria-valuetext", moves[at].texts[current[at]]);
    }
  }

  form.addEventListener("input", (event) => {
    const at = Number(event.target.dataset.move);
    const { positions, back } = moved(moves, current, at, Number(event.target.value));
    if (positions.join() in states) {
      show(positions);
      said.textContent = back.length ? `This moves by itself: back at the start are ${back.join(", ")}.` : "";
    } else {
      said.textContent = "Nothing is left to show of that.";
    }
    place();
  });
  place(); // a browser that reloads a page keeps what its controls showed
  form.hidden = false;
}

const record = document.getElementById("recorded");
const form = document.querySelector("fieldset.moves");
if (record && form && "DecompressionStream" in window) followMoves(form, record);
