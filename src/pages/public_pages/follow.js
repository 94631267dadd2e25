// An open page of a channel looks for news by the public inbox, which caches answer, while somebody looks at it. What has changed is
// taken from the page itself. In a block, since all scripts of a page share their names.
{
  const here = location.pathname.replace(/\/+$/, "");
  const shown = () => document.getElementById("newest");

  const look = async () => {
    const { inbox } = shown().dataset;
    if (document.hidden || !inbox) return;
    const news = await fetch(`${here}/inbox.json`, { credentials: "omit" });
    // It is there no more, and the page says so.
    if (news.status === 404) return location.reload();
    // A proxy that compresses marks what it is named by.
    const tag = news.headers.get("etag")?.replace(/^W\//, "");
    if (!news.ok || !tag || tag === inbox.replace(/^W\//, "")) return;
    const page = await fetch(here, { credentials: "omit" });
    if (!page.ok) return;
    const next = new DOMParser().parseFromString(await page.text(), "text/html").getElementById("newest");
    if (next) shown().replaceWith(document.adoptNode(next));
  };

  let waiting;
  const follow = async () => {
    clearTimeout(waiting);
    // Nobody answers: the next look may be answered.
    await look().catch(() => {});
    // A little apart, so that those who came together do not stay together.
    waiting = setTimeout(follow, Number(shown().dataset.seconds) * 1000 * (1 + Math.random() / 4));
  };
  if (shown()?.dataset.inbox) {
    waiting = setTimeout(follow, Number(shown().dataset.seconds) * 1000);
    document.addEventListener("visibilitychange", () => !document.hidden && follow());
  }
}
