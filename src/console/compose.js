// The form of an alert while it is written: the preview follows what is typed, and files are uploaded at once
// with their progress. Without it, buttons of the form do the same on the server.
const form = document.querySelector("form[data-compose]");
const at = form.dataset.compose;
const peek = form.querySelector(".peek");

// On a phone the preview is folded; how a person left it stays for the session.
if (matchMedia("(max-width: 59.99rem)").matches) peek.open = sessionStorage.getItem("peek") === "open";
peek.addEventListener("toggle", () => sessionStorage.setItem("peek", peek.open ? "open" : "shut"));

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
  // A slower answer to an older text is not shown over a newer one.
  if (!answer?.ok || turn !== asked) return;
  const drawn = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = drawn.getElementById("preview");
  if (!next) return;
  for (const shown of form.querySelectorAll(".acts [data-reach]")) shown.textContent = next.dataset.reach;
  document.getElementById("preview").replaceWith(next);
  document.getElementById("circle-shown").replaceWith(drawn.getElementById("circle-shown"));
  changedElsewhere(next.dataset.version);
}

/** Said as soon as it is known; saving would show both texts. */
function changedElsewhere(version) {
  const own = form.querySelector("[name=version]")?.value;
  if (!own || version === own || document.getElementById("elsewhere")) return;
  const said = document.createElement("p");
  said.id = "elsewhere";
  said.className = "flash careful";
  said.setAttribute("role", "status");
  said.textContent =
    "Somebody changed this alert since you opened it. Save when you are ready: you will see both texts, and nothing is lost.";
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
  for (const name of ["form_token", "layout", "html"]) {
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
addEventListener("beforeunload", (event) => {
  if (touched) event.preventDefault();
});

for (const part of form.querySelectorAll("[data-upload]")) {
  const input = part.querySelector("input[type=file]");
  const bar = document.createElement("progress");
  const said = document.createElement("p");
  bar.hidden = true;
  bar.max = 1;
  bar.setAttribute("aria-label", "Upload");
  said.className = "hint";
  said.setAttribute("role", "status");
  part.querySelector("button").remove();
  part.append(bar, said);
  input.addEventListener("change", () => input.files[0] && upload(part, input, bar, said));
}

function upload(part, input, bar, said) {
  const body = new FormData();
  body.append("form_token", form.elements.form_token.value);
  body.append("kind", part.dataset.upload);
  body.append("file", input.files[0]);
  const request = new XMLHttpRequest();
  bar.hidden = false;
  bar.value = 0;
  said.className = "hint";
  said.textContent = "Uploading …";
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    bar.value = loaded / total;
  });
  request.addEventListener("loadend", () => {
    bar.hidden = true;
    const answer = readAnswer(request);
    said.className = answer.id ? "hint" : "wrong";
    said.textContent = answer.id ? `${answer.name} is uploaded and chosen.` : answer.message;
    if (!answer.id) return;
    input.value = "";
    const choice = document.getElementById(part.dataset.into);
    choice.add(new Option(answer.name, answer.id, true, true));
    choice.value = answer.id;
    later();
  });
  request.open("POST", `${at}/upload`);
  request.send(body);
}

function readAnswer({ status, responseText }) {
  try {
    return JSON.parse(responseText);
  } catch {
    return {
      message: status === 0 ? "The upload broke off. Choose the file again." : "The file was not taken.",
    };
  }
}

form.querySelector("[data-refresh]").remove();
show.remove();
