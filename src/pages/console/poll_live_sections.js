// Updates of a page's live parts while the page is visible: every ten seconds, or every two while a part waits for a
// result (data-soon). Failed requests lengthen the interval. A part that the user works in stays until the user is
// done.
const SHORTEST = 10_000;
const SOON = 2_000;
const LONGEST = 120_000;

for (const part of document.querySelectorAll("[data-live]")) follow(part);

function follow(part) {
  const usual = () => (part.querySelector("[data-soon]") ? SOON : SHORTEST);
  let pause = usual();
  let last = Date.now();
  let timer;

  const wait = () => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(ask, Math.max(0, last + pause - Date.now()));
  };

  async function ask() {
    last = Date.now();
    try {
      const answer = await fetch(part.dataset.live, { redirect: "error" });
      if (answer.status === 403 || answer.status === 404) return;
      if (!answer.ok) throw new Error();
      put(await answer.text());
      pause = usual();
    } catch {
      pause = Math.min(LONGEST, pause * 2);
    }
    wait();
  }

  function put(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById(part.id);
    const busy = part.contains(document.activeElement) || selects(part) || part.querySelector(".selects :checked");
    if (!fresh || busy || fresh.innerHTML === part.dataset.seen) return;
    part.dataset.seen = fresh.innerHTML;
    const open = [...part.querySelectorAll("details[open][id]")].map(({ id }) => id);
    part.replaceChildren(...fresh.childNodes);
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  }

  document.addEventListener("visibilitychange", wait);
  wait();
}

/** Text of it is marked, perhaps to be copied. */
function selects(part) {
  const marked = getSelection();
  return !marked.isCollapsed && part.contains(marked.anchorNode);
}
