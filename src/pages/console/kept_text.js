// Keeps the unsent text of an alert's form in this browser, so that it survives a reload (rules#console-unsent-text).
{
  const form = document.querySelector("form[data-kept]");
  const key = `belfry-text:${form.dataset.kept}:${location.pathname}`;
  const skipped = ["form_token", "once", "version", "base", "again", "confirmed", "sure"];
  const hidden = (name) => form.querySelector(`input[type="hidden"][name="${name}"]`);
  const version = () => (hidden("once") ?? hidden("version")).value;
  const controls = () =>
    [...form.elements].filter(
      ({ name, type }) => name && !skipped.includes(name) && !["file", "submit", "button", "fieldset"].includes(type),
    );
  const isSwitch = ({ type }) => type === "checkbox" || type === "radio";
  const read = () =>
    controls()
      .filter((control) => !isSwitch(control) || control.checked)
      .map(({ name, value }) => [name, value]);
  const initial = JSON.stringify(read());

  const load = () => {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  };
  const discard = () => localStorage.removeItem(key);
  /** False where the browser stores nothing. */
  const keep = (submitted) => {
    const fields = read();
    const text = JSON.stringify(fields);
    try {
      if (text === initial && !submitted && !load()) return true;
      const base = hidden("base")?.value;
      localStorage.setItem(key, JSON.stringify({ version: version(), base, fields, submitted, at: Date.now() }));
      return true;
    } catch {
      return false;
    }
  };

  function restore({ fields, version: kept, base }) {
    const values = new Map();
    for (const [name, value] of fields) values.set(name, [...(values.get(name) ?? []), value]);
    for (const control of controls()) {
      const given = values.get(control.name) ?? [];
      if (isSwitch(control)) control.checked = given.includes(control.value);
      else control.value = given[0] ?? "";
      for (let part = control; part && control.value && !isSwitch(control); part = part.parentElement)
        if (part.matches("details")) part.open = true;
      control.dispatchEvent(new Event("input", { bubbles: true }));
    }
    // A later change of another member is then reported as a conflict, and not overwritten.
    if (base && hidden("base")) {
      hidden("version").value = kept;
      hidden("base").value = base;
    }
  }

  function offer(entry) {
    const note = document.createElement("div");
    note.className = "note unsent";
    note.id = "kept";
    note.setAttribute("role", "status");
    const when = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" }).format(entry.at);
    const button = (label, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.className = "plain";
      made.textContent = label;
      made.addEventListener("click", () => {
        act();
        note.remove();
        form.querySelector("#title").focus();
      });
      return made;
    };
    const text = document.createElement("p");
    text.textContent = `This browser has unsent text from ${when}.`;
    const actions = document.createElement("p");
    actions.className = "line";
    actions.append(
      button("Restore", () => restore(entry)),
      button("Discard", discard),
    );
    note.append(text, actions);
    form.before(note);
  }

  const entry = load();
  const type = performance.getEntriesByType("navigation")[0]?.type;
  if (entry?.submitted && entry.version !== version()) discard();
  else if (entry && JSON.stringify(entry.fields) !== initial) {
    if (entry.version === version() && type !== "navigate") restore(entry);
    else offer(entry);
  }
  form.addEventListener("input", ({ target }) => {
    if (target.type !== "file") form.dataset.keeps = keep(false);
  });
  form.addEventListener("submit", () => keep(true));
  try {
    localStorage.setItem(`${key}?`, "");
    localStorage.removeItem(`${key}?`);
    form.querySelector(".deciding .said")?.append(" Unsent text stays in this browser.");
  } catch {
    // Storage is blocked: the page requires confirmation before the person leaves.
  }
}
