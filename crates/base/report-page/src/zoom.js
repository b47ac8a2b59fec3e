
"use strict";
for (const view of document.querySelectorAll(".zoomable")) {
  const drawing = view.firstElementChild;
  const most = 64;
  const names = drawing.querySelectorAll("text.name");
  let zoom = 1;
  // Zooms so that what stands `at` pixels from the left border of the view stays there.
  const set = (to, at) => {
    const before = zoom;
    zoom = Math.min(most, Math.max(1, to));
    const share = (view.scrollLeft + at) / drawing.clientWidth;
    drawing.style.width = zoom === 1 ? "" : zoom * 100 + "%";
    view.scrollLeft = share * drawing.clientWidth - at;
    if (zoom !== before) {
      for (const one of drawing.querySelectorAll("[data-zoom]")) {
        one.classList.toggle("shown", zoom >= Number(one.dataset.zoom));
      }
    }
  };
  // Names of lanes stay in view.
  view.addEventListener("scroll", () => {
    for (const name of names) name.setAttribute("dx", view.scrollLeft);
  });
  const middle = () => view.clientWidth / 2;
  const actions = [
    ["\u2212", "Zoom out", "-", () => set(zoom / 2, middle())],
    ["+", "Zoom in", "+", () => set(zoom * 2, middle())],
    ["all", "Show all of it", "0", () => set(1, 0)],
  ];
  const bar = document.createElement("div");
  bar.className = "zoom";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Zoom");
  for (const [text, name, key, act] of actions) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.title = name + " (key " + key + ")";
    button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
    bar.append(button);
  }
  view.before(bar);
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions.find((one) => one[2] === (event.key === "=" ? "+" : event.key));
    if (action) {
      event.preventDefault();
      action[3]();
    }
  });
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    set(zoom * Math.exp(-event.deltaY / 200), event.clientX - view.getBoundingClientRect().left);
  }, { passive: false });
  // A mouse drags the drawing; fingers scroll it without help.
  let from = null;
  view.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    from = { x: event.clientX, left: view.scrollLeft };
    view.setPointerCapture(event.pointerId);
  });
  view.addEventListener("pointermove", (event) => {
    if (from) view.scrollLeft = from.left - (event.clientX - from.x);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    view.addEventListener(end, () => { from = null; });
  }
}
// On paper nothing can be unfolded.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of folded) one.open = false;
});
