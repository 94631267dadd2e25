// An open page of a channel looks for news by the public inbox, which caches answer, while somebody looks at it. What has changed is
// taken from the page itself. In a block, since all scripts of a page share their names.
{
  const here = location.pathname.replace(/\/+$/, "");
  const shown = () => document.getElementById("newest");
  const ms = Number(shown()?.dataset.seconds) * 1000;

  /** Of caches between, not of the browser's own: that one would show what is old and ask for what is new afterwards. */
  const ask = (address) => fetch(address, { credentials: "omit", cache: "no-cache" });

  /** How many times as long as usual is waited: longer each time that nobody answers, or that this address asked too often. */
  let patience = 1;

  const look = async () => {
    const { inbox } = shown().dataset;
    if (document.hidden || !inbox) return;
    const news = await ask(`${here}/inbox.json`);
    // It is there no more, and the page says so.
    if (news.status === 404) return location.reload();
    if (!news.ok) throw new Error("refused");
    patience = 1;
    // A proxy that compresses marks what it is named by.
    const tag = news.headers.get("etag")?.replace(/^W\//, "");
    if (!tag || tag === inbox.replace(/^W\//, "")) return;
    const page = await ask(here);
    if (!page.ok) return;
    const next = new DOMParser().parseFromString(await page.text(), "text/html").getElementById("newest");
    if (next) shown().replaceWith(document.adoptNode(next));
  };

  let waiting;
  const follow = async () => {
    clearTimeout(waiting);
    await look().catch(() => {
      patience = Math.min(patience * 2, 8);
    });
    // A little apart, so that those who came together do not stay together.
    waiting = setTimeout(follow, ms * patience * (1 + Math.random() / 4));
  };
  if (ms > 0) {
    waiting = setTimeout(follow, ms);
    document.addEventListener("visibilitychange", () => !document.hidden && follow());
  }
}
