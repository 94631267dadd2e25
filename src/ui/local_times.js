// Instants as the reader's own clock has them: pages are written in UTC, which stays as the tip of each. What a script of the page puts
// in later follows. In a block, since all scripts of a page share their names.
{
  const date = { day: "numeric", month: "short" };
  const time = { hour: "2-digit", minute: "2-digit" };
  const words = (at, how) => {
    const isNear = how === "near" && at.getFullYear() === new Date().getFullYear();
    const year = isNear ? {} : { year: "numeric" };
    const day = new Intl.DateTimeFormat("en-GB", { ...date, ...year }).format(at);
    return how === "day" ? day : `${day}, ${new Intl.DateTimeFormat("en-GB", time).format(at)}`;
  };
  const show = () => {
    for (const shown of document.querySelectorAll("time[data-clock]")) {
      shown.textContent = words(new Date(shown.dateTime), shown.dataset.clock);
      delete shown.dataset.clock;
    }
  };
  show();
  new MutationObserver(show).observe(document.body, { childList: true, subtree: true });
}
