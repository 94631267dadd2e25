// Rows of a list: a click anywhere opens the row, and one box selects all rows. Without a script, the title opens it.
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
    const show = () => {
      const checked = boxes().filter((one) => one.checked).length;
      box.checked = checked > 0 && checked === boxes().length;
      box.indeterminate = checked > 0 && !box.checked;
    };
    table.addEventListener("change", ({ target }) => {
      if (target === box) for (const one of boxes()) one.checked = box.checked;
      show();
    });
    // The boxes are reset after the event.
    table.closest("form").addEventListener("reset", () => setTimeout(show));
    heading.replaceChildren(label);
    show();
  }
}
addBox();
const select = document.querySelector("#select");
select?.addEventListener("change", () => select.closest("[popover]").hidePopover());
new MutationObserver(addBox).observe(document.querySelector("main"), { childList: true, subtree: true });
