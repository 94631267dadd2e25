// Shows the markup that the app sends, once, and tells how high it is. Runs in a frame of no origin.
addEventListener(
  "message",
  ({ data, source }) => {
    if (source !== parent || typeof data?.markup !== "string") return;
    const sent = new DOMParser().parseFromString(data.markup, "text/html");
    for (const left of sent.querySelectorAll("script, base, meta, link, iframe, object, embed"))
      left.remove();
    const base = document.createElement("style");
    base.textContent =
      "html{color-scheme:light;background:#fff;color:#1b1c22;font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}" +
      "body{margin:16px;overflow-wrap:break-word}img{max-width:100%;height:auto}table{max-width:100%}";
    document.head.append(base, ...sent.head.querySelectorAll("style"));
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
