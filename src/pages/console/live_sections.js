// Requests a page's live parts again while the page is visible, every ten seconds at most. After failures it waits
// longer each time. A part that a person is using stays as it is until they are done.
const SHORTEST = 10_000;
const LONGEST = 120_000;

for (const part of document.querySelectorAll("[data-live]")) follow(part);

function follow(part) {
  let pause = SHORTEST;
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
      pause = SHORTEST;
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
