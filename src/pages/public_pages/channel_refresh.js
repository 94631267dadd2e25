// An open page of a channel polls the public inbox, which caches serve, while the page is visible. Changed content
// comes from the page itself. It is in a block, since all scripts of a page share their names.
{
  const here = location.pathname.replace(/\/+$/, "");
  const shown = () => document.getElementById("newest");
  const ms = Number(shown()?.dataset.seconds) * 1000;

  /** Uses caches between, not the browser's own: that one would show old content and revalidate it later. */
  const ask = (address) => fetch(address, { credentials: "omit", cache: "no-cache" });

  /**
   * The factor of the polling interval. It grows with each failure, and with responses that this address sent too many
   * requests.
   */
  let patience = 1;

  const look = async () => {
    const { inbox } = shown().dataset;
    if (document.hidden || !inbox) return;
    const news = await ask(`${here}/inbox.json`);
    // The channel no longer exists, and the page reports it.
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
