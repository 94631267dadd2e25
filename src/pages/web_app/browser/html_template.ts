// Markup of the app as a tagged template. It creates elements and never parses text, so user text cannot become markup.

import htm from "htm";
import { h, type VNode } from "preact";

export type VNodeContent = VNode | string | number | null | undefined | boolean | VNodeContent[];

export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
