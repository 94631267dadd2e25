// Optional conveniences; the page is complete without them.

// Earlier links to objects.
if (/^#shape(s$|-)/.test(location.hash)) location.replace(location.hash.replace("shape", "object"));

const root = document.documentElement;
const stored = (() => {
  try {
    return localStorage.getItem("belfry-docs-language");
  } catch {
    return null;
  }
})();

function setLanguage(language) {
  root.dataset.lang = language;
  for (const button of document.querySelectorAll("[data-set]"))
    button.setAttribute("aria-pressed", String(button.dataset.set === language));
}
root.classList.add("js");
setLanguage(["JavaScript", "Python", "Go"].includes(stored) ? stored : "curl");

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.set) {
    const before = button.getBoundingClientRect().top;
    setLanguage(button.dataset.set);
    scrollBy(0, button.getBoundingClientRect().top - before);
    try {
      localStorage.setItem("belfry-docs-language", button.dataset.set);
    } catch {}
  }
  if (button?.classList.contains("copies")) {
    const panes = [...button.closest("figure").querySelectorAll("pre")];
    const text = panes.find((pane) => pane.offsetParent !== null).textContent;
    navigator.clipboard.writeText(text).then(() => {
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1500);
    });
  }
  if (event.target.closest("nav a") && narrow.matches) menu.open = false;
});

if (navigator.clipboard)
  for (const figure of document.querySelectorAll("figure.code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copies";
    button.textContent = "Copy";
    (figure.querySelector("figcaption") ?? figure).append(button);
  }

const menu = document.querySelector(".contents");
const narrow = matchMedia("(max-width: 60rem)");
const fold = () => {
  menu.open = !narrow.matches;
};
fold();
narrow.addEventListener("change", fold);

const filter = document.getElementById("filter");
const links = [...document.querySelectorAll("nav a[data-find]")];
filter.hidden = false;
const nothing = document.getElementById("nothing");
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const link of links) link.parentElement.hidden = !words.every((word) => link.dataset.find.includes(word));
  // A heading is shown only above matching entries.
  let any = false;
  for (const group of document.querySelectorAll("nav .group")) {
    const list = group.nextElementSibling?.matches("ol") ? group.nextElementSibling : null;
    const empty = list ? !list.querySelector("li:not([hidden])") : words.length > 0;
    group.hidden = empty;
    if (list) {
      list.hidden = empty;
      any ||= !empty;
    }
  }
  nothing.textContent = any ? "" : "No matching operations.";
});

const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      for (const link of links) {
        const here = link.hash === `#${target.id}`;
        if (here === link.hasAttribute("aria-current")) continue;
        if (here) {
          link.setAttribute("aria-current", "true");
          if (!narrow.matches) link.scrollIntoView({ block: "nearest" });
        } else link.removeAttribute("aria-current");
      }
    }
  },
  { rootMargin: "-15% 0px -75%" },
);
for (const article of document.querySelectorAll("section > article[id]")) seen.observe(article);

// Trying a call. The key is in its field only. The request is sent to the server of this page. After navigating back,
// neither the key nor the response is there.
const key = document.getElementById("key");
const keySaid = document.getElementById("key-said");
document.getElementById("try").hidden = false;
addEventListener("pagehide", () => {
  key.value = "";
  for (const trial of document.querySelectorAll("details.try")) {
    trial.open = false;
    for (const part of [...trial.children].slice(1)) part.remove();
  }
});

const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

for (const trial of document.querySelectorAll("details.try")) {
  trial.hidden = false;
  trial.addEventListener("toggle", () => trial.open && trial.childElementCount === 1 && fill(trial));
}

function fill(trial) {
  const { method, path, body } = trial.dataset;
  const where = make("input", { type: "text", value: path, autocomplete: "off" });
  const what =
    body === undefined ? null : make("textarea", { value: body, rows: Math.min(14, body.split("\n").length + 1) });
  const fields = [
    ["Path", where],
    ["Body", what],
  ].filter(([, field]) => field);
  const send = make("button", { type: "button", textContent: `Send ${method}` });
  const said = make("p", { className: "said" });
  said.setAttribute("role", "status");
  const shown = make("pre", { hidden: true, tabIndex: 0 });
  for (const [name, field] of fields) {
    field.setAttribute("spellcheck", "false");
    trial.append(make("div", { className: "field" }, make("label", {}, name, field)));
  }
  if (method !== "GET") trial.append(make("p", { className: "wrong", textContent: "This call runs on this server." }));
  trial.append(send, said, shown);
  // A disabled button loses the focus. A button that waits for its response is therefore only inactive.
  let sending = false;
  send.addEventListener("click", async () => {
    if (sending) return;
    shown.hidden = true;
    keySaid.textContent = "";
    for (const field of [key, where, what]) field?.removeAttribute("aria-invalid");
    const missing = /\{(\w+)\}/.exec(where.value)?.[1];
    if (missing) return tell(said, `Enter a value for ${missing} in the path.`, where);
    if ("key" in trial.dataset && key.value.trim() === "") return wantKey(send);
    try {
      if (what?.value.trim()) JSON.parse(what.value);
    } catch {
      return tell(said, "The body is not valid JSON.", what);
    }
    sending = true;
    said.textContent = "Sending …";
    const headers = { accept: "application/json" };
    if ("key" in trial.dataset) headers.authorization = `Bearer ${key.value.trim()}`;
    if (what?.value.trim()) headers["content-type"] = "application/json";
    try {
      const target = new URL(where.value, location.origin);
      if (target.origin !== location.origin) throw new Error("Only paths on this server are allowed.");
      const answer = await fetch(target, {
        method,
        headers,
        credentials: "omit",
        body: what?.value.trim() || undefined,
      });
      const text = await answer.text();
      said.textContent = answer.status;
      shown.textContent = pretty(text);
      shown.hidden = text === "";
    } catch (error) {
      said.textContent = `The request failed: ${error.message}`;
    }
    sending = false;
  });
}

/** The field is far from the call; Enter leads back. */
let waiting;
function wantKey(send) {
  waiting = send;
  tell(keySaid, "This call needs a key. Press Enter to go to the key field.", key);
}
key.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !waiting) return;
  // Else the very press that leads back would send the call.
  event.preventDefault();
  waiting.focus();
});

function tell(said, words, field) {
  said.textContent = words;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
