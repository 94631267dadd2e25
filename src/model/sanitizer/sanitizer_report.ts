// The report of the sanitizer: counts of removed parts, one row for each kind and name. A name is a term of the tables
// below or a fixed one of ours. Assistants read the report, so it must not contain text of a caller.

import type { RemovedCharacterCounts } from "../fields/invisible_characters.ts";
import { LIMITS } from "../limits.ts";
import { parseSpaceSeparatedSet } from "./allow_list.ts";

type RemovedMarkupKind = "element" | "attribute" | "url" | "style" | "character";

/** One row of `blocked` (rules#alert-blocked). */
export interface RemovedMarkupRow {
  kind: RemovedMarkupKind;
  name: string;
  count: number;
}

const KNOWN: Record<RemovedMarkupKind, ReadonlySet<string>> = {
  element: parseSpaceSeparatedSet(`
    #comment #doctype #cdata #instruction #null
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body
    br button canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog
    dir div dl dt em embed fencedframe fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6
    head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend li link listing main map
    mark marquee menu menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol optgroup
    option output p param permission picture plaintext portal pre progress q rb rp rt rtc ruby s samp script search
    section select selectedcontent shadow slot small source spacer span strike strong style sub summary sup table
    tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp xml
    altglyph animate animatecolor animatemotion animatetransform circle clippath defs desc discard ellipse feblend
    fecolormatrix fecomponenttransfer fecomposite feconvolvematrix fediffuselighting fedisplacementmap
    fedistantlight fedropshadow feflood fefunca fefuncb fefuncg fefuncr fegaussianblur feimage femerge femergenode
    femorphology feoffset fepointlight fespecularlighting fespotlight fetile feturbulence filter foreignobject g
    glyph glyphref handler hatch hkern line lineargradient listener marker mask metadata mpath path pattern polygon
    polyline radialgradient rect set solidcolor stop svg switch symbol text textpath tref tspan use view
    annotation annotation-xml maction maligngroup malignmark math menclose merror mfenced mfrac mglyph mi
    mlabeledtr mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub
    msubsup msup mtable mtd mtext mtr munder munderover none semantics
  `),
  attribute: parseSpaceSeparatedSet(`
    abbr accept accept-charset accesskey action align alink allow allowfullscreen alt archive as async attributename
    autocapitalize autocomplete autofocus autoplay axis background begin behavior bgcolor blocking border by
    cellpadding cellspacing char charset checked cite class classid clear code codebase codetype color cols colspan
    command commandfor compact content contenteditable controls coords crossorigin data data-* datafld dataformatas
    datasrc datetime declare decoding default defer dir direction dirname disabled download draggable dur dynsrc
    elementtiming enctype end enterkeyhint exportparts face fetchpriority fill filter for form formaction
    formenctype formmethod formnovalidate formtarget frame frameborder from fscommand headers height hidden high
    href hreflang hspace http-equiv id imagesizes imagesrcset implementation inert inputmode integrity is ismap
    itemid itemprop itemref itemscope itemtype keyparams keysystem keytype kind label lang language leftmargin link
    list loading longdesc loop low lowsrc manifest marginheight marginwidth max maxlength media method min minlength
    mode multiple muted name nohref nomodule nonce noresize noshade novalidate nowrap object open optimum part
    pattern ping placeholder playsinline popover popovertarget popovertargetaction poster preload profile prompt
    property radiogroup readonly referrerpolicy rel repeatcount required results rev reversed role rows rowspan
    rules sandbox scheme scope scrolling selected seeksegmenttime shadowrootmode shape size sizes slot span
    spellcheck src srcdoc srclang srcset standby start step style summary tabindex target text title topmargin to
    translate type typemustmatch usemap valign value values valuetype version viewbox virtualkeyboardpolicy vlink
    volume vspace width wrap writingsuggestions xlink:href xml:base xml:lang xmlns xmlns:xlink aria-*
    onabort onactivate onafterprint onafterscriptexecute onafterupdate onanimationcancel onanimationend
    onanimationiteration onanimationstart onauxclick onbeforeactivate onbeforecopy onbeforecut onbeforedeactivate
    onbeforeinput onbeforematch onbeforepaste onbeforeprint onbeforescriptexecute onbeforetoggle onbeforeunload
    onbegin onblur onbounce oncancel oncanplay oncanplaythrough onchange onclick onclose oncommand
      oncontentvisibilityautostatechange
    oncontextlost oncontextmenu oncontextrestored oncopy oncuechange oncut ondataavailable ondatasetchanged
    ondatasetcomplete ondblclick ondrag ondragend ondragenter ondragexit ondragleave ondragover ondragstart ondrop
    ondurationchange onemptied onend onended onerror onerrorupdate onfilterchange onfinish onfocus onfocusin
    onfocusout onformdata onfullscreenchange onfullscreenerror ongesturechange ongestureend ongesturestart
    ongotpointercapture onhashchange onhelp oninput oninvalid onkeydown onkeypress onkeyup onlanguagechange
    onlayoutcomplete onload onloadeddata onloadedmetadata onloadend onloadstart onlosecapture
    onlostpointercapture onmessage onmessageerror onmousedown onmouseenter onmouseleave onmousemove onmouseout
    onmouseover onmouseup onmousewheel onmove onmoveend onmovestart onoffline ononline onpagehide onpagereveal
    onpageshow onpageswap onpaste onpause onplay onplaying onpointercancel onpointerdown onpointerenter
    onpointerleave onpointermove onpointerout onpointerover onpointerrawupdate onpointerup onpopstate onprogress
    onpropertychange onratechange onreadystatechange onrejectionhandled onrepeat onreset onresize onresizeend
    onresizestart onrowenter onrowexit onscroll onscrollend onscrollsnapchange onscrollsnapchanging onsearch
    onsecuritypolicyviolation onseeked onseeking onselect onselectionchange onselectstart onshow onslotchange
    onstalled onstart onstop onstorage onsubmit onsuspend ontimeupdate ontoggle ontouchcancel ontouchend
    ontouchmove ontouchstart ontransitioncancel ontransitionend ontransitionrun ontransitionstart
    onunhandledrejection onunload onvolumechange onwaiting onwebkitanimationend onwebkitanimationiteration
    onwebkitanimationstart onwebkitfullscreenchange onwebkitmouseforcechanged onwebkitmouseforcedown
    onwebkitmouseforceup onwebkitmouseforcewillbegin onwebkitplaybacktargetavailabilitychanged
    onwebkitpresentationmodechanged onwebkittransitionend onwebkitwillrevealbottom onwheel
  `),
  url: parseSpaceSeparatedSet(`
    about bitcoin blob callto chrome cid content data facetime feed file ftp geo git http https intent irc jar
    javascript livescript magnet mailto market mhtml mocha ms-its news resource rtsp sftp skype sms ssh tel telnet
    vbscript view-source ws wss xmpp relative protocol-relative
  `),
  style: parseSpaceSeparatedSet(`
    -moz-binding -ms-behavior -webkit-text-fill-color align-content align-items align-self all animation
    animation-name appearance backdrop-filter background background-attachment background-clip background-color
    background-image background-position background-repeat background-size behavior border border-bottom
    border-bottom-color border-bottom-style border-bottom-width border-collapse border-color border-image
    border-image-source border-left border-left-color border-left-style border-left-width border-radius border-right
    border-right-color border-right-style border-right-width border-spacing border-style border-top border-top-color
    border-top-style border-top-width border-width bottom box-shadow box-sizing caption-side clear clip clip-path
    color color-scheme columns contain content counter-increment counter-reset cursor direction display filter flex
    flex-direction flex-grow flex-shrink flex-wrap float font font-family font-feature-settings font-size
    font-stretch font-style font-variant font-weight gap grid grid-area grid-template grid-template-columns height
    hyphens inset isolation justify-content justify-items left letter-spacing line-height list-style
    list-style-image list-style-position list-style-type margin margin-bottom margin-left margin-right margin-top
    mask mask-image max-height max-width min-height min-width mix-blend-mode object-fit offset-path opacity order
    outline outline-color overflow overflow-wrap overflow-x overflow-y padding padding-bottom padding-left
    padding-right padding-top perspective pointer-events position quotes resize right rotate scale shape-outside
    src tab-size table-layout text-align text-decoration text-decoration-color text-decoration-line
    text-decoration-style text-indent text-overflow text-shadow text-size-adjust text-transform top transform
    transition translate unicode-bidi user-select vertical-align visibility white-space width will-change word-break
    word-spacing word-wrap writing-mode z-index zoom
  `),
  character: parseSpaceSeparatedSet(`
    bidi-control control filler format line-separator soft-hyphen tag variation-selector zero-width
  `),
};

/** Checks for an attribute name of any version of HTML. */
export const isKnownAttribute = (name: string): boolean =>
  KNOWN.attribute.has(name) || /^(?:data-|aria-|on)/.test(name);

const KIND_ORDER: readonly RemovedMarkupKind[] = ["element", "attribute", "url", "style", "character"];

export class SanitizerReport {
  readonly #rows = new Map<string, RemovedMarkupRow>();

  /** `name` is lower-case and may be anything; what is not in the tables is counted as "unknown". */
  add(kind: RemovedMarkupKind, name: string, count = 1): void {
    let shown = name;
    if (kind === "attribute" && name.startsWith("data-")) shown = "data-*";
    if (kind === "attribute" && name.startsWith("aria-")) shown = "aria-*";
    if (!KNOWN[kind].has(shown)) shown = "unknown";
    const key = `${kind} ${shown}`;
    const row = this.#rows.get(key);
    if (row) row.count += count;
    else this.#rows.set(key, { kind, name: shown, count });
  }

  addCharacters(removed: RemovedCharacterCounts): void {
    for (const [name, count] of removed) this.add("character", name, count);
  }

  /** Counts on from rows of another report. */
  addRows(rows: readonly RemovedMarkupRow[]): this {
    for (const { kind, name, count } of rows) this.add(kind, name, count);
    return this;
  }

  /** Returns the rows to store. Rows above the limit are counted as "unknown" of their kind. */
  kept(): RemovedMarkupRow[] {
    const rows = this.rows();
    if (rows.length <= LIMITS.alert_blocked) return rows;
    const others = rows.slice(LIMITS.alert_blocked).map((row) => ({ ...row, name: "unknown" }));
    return new SanitizerReport().addRows([...rows.slice(0, LIMITS.alert_blocked), ...others]).rows();
  }

  /** Elements, attributes, urls, styles, characters; by name within each, so that equal input gives equal bytes. */
  rows(): RemovedMarkupRow[] {
    return [...this.#rows.values()].sort(
      (a, b) =>
        KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
    );
  }
}
