// Markup of the app as a tagged template: elements are made, never text parsed, so nothing that somebody wrote
// becomes markup.

import htm from "htm";
import { h, type VNode } from "preact";

export type AppContent = VNode | string | number | null | undefined | boolean | AppContent[];

export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
