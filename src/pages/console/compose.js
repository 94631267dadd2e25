// The form of an alert while it is written: the preview follows what is typed. Without it, a button of the form does
// the same on the server.
const form = document.querySelector("form[data-compose]");
const at = form.dataset.compose;
const peek = form.querySelector(".peek");

// Where there is little room the preview is folded, also by who zooms in; how a person left it there stays for the
// session.
const narrow = matchMedia("(max-width: 59.99rem)");
const fold = () => {
  peek.open = !narrow.matches || sessionStorage.getItem("peek") === "open";
};
fold();
narrow.addEventListener("change", fold);
peek.addEventListener("toggle", () => {
  if (narrow.matches) sessionStorage.setItem("peek", peek.open ? "open" : "shut");
});

/** Everything that was typed; files have a way of their own. */
function typed() {
  const sent = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") sent.append(name, value);
  const [, alert] = /\/(alr_\w+)\/edit$/.exec(form.action) ?? [];
  if (alert) sent.set("alert", alert);
  return sent;
}

let last;
let asked = 0;
async function preview() {
  const body = typed();
  if (body.toString() === last) return;
  last = body.toString();
  const turn = ++asked;
  const answer = await fetch(`${at}/preview`, { method: "POST", body }).catch(() => null);
  if (answer?.status === 401)
    tell("You were signed out. Your text is kept: save or send it, then sign in to continue.");
  // A slower response to an older text is not shown over a newer one.
  if (!answer?.ok || turn !== asked) return;
  const drawn = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = drawn.getElementById("preview");
  if (!next) return;
  for (const shown of form.querySelectorAll(".acts [data-reach]")) shown.textContent = next.dataset.reach;
  document.getElementById("preview").replaceWith(next);
  const values = [...form.querySelectorAll(".option > summary > .value")].map((value) => value.id);
  for (const id of ["circle-shown", "next-ones", ...values])
    document.getElementById(id)?.replaceWith(drawn.getElementById(id) ?? "");
  changedElsewhere(next.dataset.version);
}

/** Reported as soon as it is known; saving would show both texts. */
function changedElsewhere(version) {
  const own = form.querySelector("[name=version]")?.value;
  if (own && version !== own)
    tell("Someone else changed this alert. When you save, you will see both versions, and nothing will be lost.");
}

/** One line above the form, the newest in place of the one before it. */
function tell(text) {
  if (document.getElementById("told")?.textContent === text) return;
  document.getElementById("told")?.remove();
  const said = document.createElement("p");
  said.id = "told";
  said.className = "flash careful";
  said.setAttribute("role", "status");
  said.textContent = text;
  form.before(said);
}

// The alert's own page is sent to a new frame each time, so that the way back stays the way back.
const show = form.querySelector("[data-page]");
let shownPage = pageKey();
function pageKey() {
  const data = new FormData(form);
  return JSON.stringify([data.get("layout"), data.get("html"), data.get("html_asset_id")]);
}
function page() {
  if (pageKey() === shownPage) return;
  shownPage = pageKey();
  const data = new FormData(form);
  const old = form.querySelector("iframe.paper");
  const frame = old.cloneNode();
  frame.removeAttribute("src");
  old.replaceWith(frame);
  if (!["html", "document"].includes(data.get("layout")) || !data.get("html")) return;
  const sent = document.createElement("form");
  sent.method = "post";
  sent.action = `${at}/page`;
  sent.target = "page";
  for (const name of ["form_token", "version", "layout", "html"]) {
    if (!data.has(name)) continue;
    const field = document.createElement("textarea");
    field.name = name;
    field.value = data.get(name);
    sent.append(field);
  }
  sent.hidden = true;
  document.body.append(sent);
  sent.submit();
  sent.remove();
}

let soon;
let touched = false;
function later() {
  touched = true;
  clearTimeout(soon);
  soon = setTimeout(() => {
    preview();
    page();
  }, 300);
}
form.addEventListener("input", (event) => {
  if (event.target.type === "file") return;
  later();
});
form.addEventListener("submit", () => {
  touched = false;
});
// kept_text.js sets the mark once the browser stores the text.
addEventListener("beforeunload", (event) => {
  if (touched && form.dataset.keeps !== "true") event.preventDefault();
});

// After going back, the browser restores typed text without an event.
addEventListener("pageshow", ({ persisted }) => {
  const [{ type }] = performance.getEntriesByType("navigation");
  if (type === "navigate" && !persisted) return;
  for (const field of form.elements) field.dispatchEvent(new Event("input", { bubbles: true }));
  touched = false;
});

form.querySelector("[data-refresh]").remove();
show.remove();
