// Shows the markup that the app sends, once, and reports its height. Runs in a frame without an origin.
addEventListener(
  "message",
  ({ data, source }) => {
    if (source !== parent || typeof data?.markup !== "string") return;
    const sent = new DOMParser().parseFromString(data.markup, "text/html");
    for (const left of sent.querySelectorAll("script, base, meta, link, iframe, object, embed")) left.remove();
    const base = document.createElement("style");
    // A fragment gets the app's text styles; a complete page has its own.
    const part =
      "html{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;color:#1b1c22}" +
      "body{margin:16px;overflow-wrap:break-word}";
    base.textContent = `${data.whole ? "" : part}img,table{max-width:100%}img{height:auto}`;
    document.head.append(base, ...sent.head.querySelectorAll("style"));
    // Its own direction, unless it names one.
    if (!sent.body.dir) sent.body.dir = sent.documentElement.dir || "auto";
    document.body.replaceWith(sent.body);
    for (const link of document.links) {
      link.target = "_blank";
      link.rel = "noopener noreferrer";
    }
    const tell = () => parent.postMessage({ height: document.documentElement.scrollHeight }, "*");
    new ResizeObserver(tell).observe(document.body);
    tell();
  },
  { once: true },
);
parent.postMessage({ ready: true }, "*");
