// Keys of a presenter turn slides; a slide that is higher than the screen scrolls first.
const TURNS = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 };
const slides = [...document.querySelectorAll("section")];
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

addEventListener("keydown", (event) => {
  const by = TURNS[event.key];
  if (!by || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input")) return;
  const now = slides.findLastIndex((slide) => slide.getBoundingClientRect().top < innerHeight / 2);
  const { top, bottom } = slides[now].getBoundingClientRect();
  const goesOn = by > 0 ? bottom > innerHeight + 1 : top < -1;
  event.preventDefault();
  if (goesOn) scrollBy({ top: by * 0.8 * innerHeight, behavior: calm ? "auto" : "smooth" });
  else slides[now + by]?.scrollIntoView({ behavior: calm ? "auto" : "smooth" });
});
