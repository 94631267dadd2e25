// A browser without script and layout: it reads pages as trees, follows links and sends forms, in process.

import { DomUtils, parseDocument } from "htmlparser2";
import type { HttpVisitor, WatchedPage } from "./console_site.ts";

type Node = ReturnType<typeof parseDocument>;
type Element = NonNullable<ReturnType<typeof DomUtils.findOne>>;
/** The name of a link, a button or a field: all of its text, or a pattern in it. */
type Name = string | RegExp;
/** Values by the names of fields; what is not named is sent as the form has it. */
type Fields = Record<string, string | string[]>;

const textOf = (node: Node | Element) => DomUtils.textContent(node).replace(/\s+/g, " ").trim();
const isNamed = (text: string, name: Name) => (typeof name === "string" ? text === name : name.test(text));

export class ScriptlessBrowser {
  readonly #visitor: HttpVisitor;
  #last: () => Promise<WatchedPage> = async () => ({ status: 0, text: "", headers: new Headers() });
  #tree: Node = parseDocument("");
  status = 0;
  /** The address that is shown, without the origin. */
  path = "/";

  constructor(visitor: HttpVisitor) {
    this.#visitor = visitor;
  }

  async #ask(path: string, send: () => Promise<WatchedPage>): Promise<void> {
    this.#last = send;
    const { status, headers, text } = await send();
    const to = headers.get("location");
    if (status >= 300 && status < 400 && to) return this.open(to);
    [this.path, this.status, this.#tree] = [path, status, parseDocument(text)];
  }

  /** Opens an address, which may be relative to the page. Redirects are followed. */
  open(address: string): Promise<void> {
    const { pathname, search } = new URL(address, this.#visitor.url + this.path);
    return this.#ask(pathname + search, () => this.#visitor.get(pathname + search));
  }

  /** Requests the current page again; a form is sent again. */
  reload(): Promise<void> {
    return this.#ask(this.path, this.#last);
  }

  /** The elements of a tag whose text has this name. */
  all(tag: string, name: Name = /(?:)/): Element[] {
    return DomUtils.getElementsByTagName(tag, this.#tree, true).filter((one) => isNamed(textOf(one), name));
  }

  /** The text of the first element of a tag. @throws Error without one. */
  text(tag: string): string {
    return textOf(this.#first(this.all(tag), tag));
  }

  /** The text of each element with this role. */
  withRole(role: string): string[] {
    return DomUtils.findAll(({ attribs }) => attribs.role === role, [this.#tree]).map(textOf);
  }

  /** The attributes of the field with this name and, of a group, this value. @throws Error without one. */
  field(name: string, value?: string): Record<string, string> {
    const found = DomUtils.findAll(
      ({ attribs }) => attribs.name === name && (value === undefined || attribs.value === value),
      [this.#tree],
    );
    return this.#first(found, name).attribs;
  }

  /** The value of the option of a field that has this text. @throws Error without one. */
  option(name: string, text: string): string {
    const select = this.all("select").find(({ attribs }) => attribs.name === name);
    const options = select ? DomUtils.getElementsByTagName("option", select, true) : [];
    return this.#first(
      options.filter((one) => textOf(one) === text),
      text,
    ).attribs.value!;
  }

  #first(found: Element[], what: unknown): Element {
    const [one] = found;
    if (!one) throw new Error(`${this.path} has no ${what}`);
    return one;
  }

  /** Follows the first link with this name. @throws Error without one. */
  follow(name: Name): Promise<void> {
    return this.open(this.#first(this.all("a", name), name).attribs.href!);
  }

  /** Presses the first button with this name. @throws Error without one, or outside of a form. */
  press(name: Name, typed: Fields = {}): Promise<void> {
    const button = this.#first(this.all("button", name), name);
    let form = button.parent as Element | null;
    while (form && form.name !== "form") form = form.parent as Element | null;
    if (!form) throw new Error(`${name} is in no form`);
    const { action = this.path, method } = form.attribs;
    const fields = { ...this.#held(form), ...typed };
    if (button.attribs.name) fields[button.attribs.name] = button.attribs.value ?? "";
    const { pathname, search } = new URL(action, this.#visitor.url + this.path);
    if (method !== "post") {
      const pairs = Object.entries(fields).flatMap(([key, value]) =>
        [value].flat().map((one): [string, string] => [key, one]),
      );
      return this.open(`${pathname}?${new URLSearchParams(pairs)}`);
    }
    const at = pathname + search;
    return this.#ask(at, () => this.#visitor.post(at, fields, { token: null }));
  }

  /** The values of the form's fields. */
  #held(form: Element): Fields {
    const held: Fields = {};
    const isField = ({ name }: Element) => /^(input|select|textarea)$/.test(name);
    for (const field of DomUtils.findAll(isField, [form])) {
      const { name, type, value = "on", checked } = field.attribs;
      if (!name || (/^(checkbox|radio)$/.test(type ?? "") && checked === undefined)) continue;
      const options = DomUtils.getElementsByTagName("option", field, true);
      const chosen = options.find(({ attribs }) => attribs.selected !== undefined) ?? options[0];
      const written = field.name === "textarea" ? DomUtils.textContent(field).replace(/^\n/, "") : null;
      const one = field.name === "select" ? (chosen?.attribs.value ?? "") : (written ?? field.attribs.value ?? value);
      held[name] = name in held ? [held[name]!, one].flat() : one;
    }
    return held;
  }
}
