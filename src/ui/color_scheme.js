// The color scheme of a page: the one that the reader chose in this browser, else the system's. It runs before the page
// is drawn. The choice never reaches the server, so pages are the same for every reader (rules#color-scheme).
{
  const STORAGE_KEY = "belfry-color-scheme";
  const root = document.documentElement;

  const readChoice = () => {
    try {
      return localStorage.getItem(STORAGE_KEY);
    } catch {
      return null;
    }
  };

  const apply = (choice) => {
    const scheme = choice === "light" || choice === "dark" ? choice : "";
    if (scheme) root.dataset.colorScheme = scheme;
    else delete root.dataset.colorScheme;
    // The color of the browser's own frame around the page.
    for (const meta of document.querySelectorAll("meta[name=theme-color]")) {
      meta.dataset.scheme ??= /light|dark/.exec(meta.media)[0];
      const { scheme: own } = meta.dataset;
      meta.media = scheme ? (scheme === own ? "all" : "not all") : `(prefers-color-scheme: ${own})`;
    }
    for (const select of document.querySelectorAll("select[data-color-schemes]")) {
      select.value = scheme;
      select.closest("[hidden]")?.removeAttribute("hidden");
    }
  };

  const update = () => apply(readChoice());
  update();
  // A page that comes back from the browser's history has the choice of another page.
  for (const event of ["DOMContentLoaded", "pageshow"]) addEventListener(event, update);
  addEventListener("storage", update);
  addEventListener("change", ({ target }) => {
    if (!target.matches("select[data-color-schemes]")) return;
    apply(target.value);
    try {
      localStorage.setItem(STORAGE_KEY, target.value);
    } catch {
      // Storage is blocked: the choice ends with the page.
    }
  });
}
