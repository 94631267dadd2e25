// Rows of a list: a click anywhere opens the row, and one box selects all rows. Without a script, the title opens it.
// The state that is shown is in sight where the states scroll.
/** Pixels of the state before the shown one that stay in sight: the faded ones, and as many without a fade. */
const BEFORE = 48;
const CONTROLS = "a, button, input, label, select, summary, textarea";

document.addEventListener("click", ({ target, defaultPrevented }) => {
  const row = target.closest("tbody tr");
  if (!row || defaultPrevented || target.closest(CONTROLS) || String(getSelection()) !== "") return;
  row.querySelector("th a")?.click();
});

/** Live parts replace the table, and its box with it. Only a phone shows the name of the box. */
function addBox() {
  for (const heading of document.querySelectorAll("th.selects")) {
    if (heading.querySelector("input")) continue;
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    const name = document.createElement("span");
    name.className = "unseen";
    name.textContent = "Select all";
    label.append(box, name);
    const table = heading.closest("table");
    const boxes = () => [...table.querySelectorAll("td.selects input")];
    table.addEventListener("change", ({ target }) => {
      if (target === box) for (const one of boxes()) one.checked = box.checked;
      else box.checked = boxes().every(({ checked }) => checked);
    });
    heading.replaceChildren(label);
  }
}
addBox();
const shown = document.querySelector(".tools .chip[aria-current]");
if (shown) {
  const states = shown.parentElement;
  // The row scrolls only where it is narrow, which may begin later: a phone is turned, a window gets smaller.
  const show = () => {
    states.scrollLeft = shown.offsetLeft - states.offsetLeft - BEFORE;
  };
  new ResizeObserver(show).observe(states);
}
new MutationObserver(addBox).observe(document.querySelector("main"), { childList: true, subtree: true });
