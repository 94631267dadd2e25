// Comforts only; the page says everything without it.
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
setLanguage(stored === "JavaScript" ? "JavaScript" : "curl");

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
  if (button?.classList.contains("copy")) {
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
    button.className = "copy";
    button.textContent = "Copy";
    (
      figure.querySelector("figcaption") ??
      figure.insertBefore(document.createElement("figcaption"), figure.firstChild)
    ).append(button);
  }

const menu = document.querySelector(".menu");
const narrow = matchMedia("(max-width: 60rem)");
const fold = () => {
  menu.open = !narrow.matches;
};
fold();
narrow.addEventListener("change", fold);

const filter = document.getElementById("filter");
const links = [...document.querySelectorAll("nav a[data-find]")];
filter.hidden = false;
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const link of links)
    link.parentElement.hidden = !words.every((word) => link.dataset.find.includes(word));
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
