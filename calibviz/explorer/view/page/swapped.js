// The browser's half of swapped.py: waits until the view that is coming has its first picture.

const PATIENCE = 5000; // ms after which a view without a picture is shown as it is
const MOMENT = 20; // ms between two looks

export default heard({
  render({ model, el }) {
    let timer;
    const places = () => [...(el.parentElement?.children ?? [])].filter((place) => place !== el);
    const wait = () => {
      const turn = model.get("turn");
      const end = performance.now() + PATIENCE;
      clearTimeout(timer);
      const look = () => {
        const coming = places().find((place) => place.classList.contains("is-coming"));
        for (const place of places()) place.inert = coming !== undefined;
        if (coming?.querySelector("svg path.line[d]") || performance.now() > end) {
          for (const place of places()) place.inert = false;
          model.send({ drawn: turn });
        } else {
          timer = setTimeout(look, MOMENT);
        }
      };
      look();
    };
    model.on("change:turn", wait);
    // A page that is opened meanwhile tells, too.
    requestAnimationFrame(() => places().some((place) => place.classList.contains("is-coming")) && wait());
    return () => {
      clearTimeout(timer);
      model.off("change:turn", wait);
    };
  },
});
