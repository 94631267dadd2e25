// The habits of prose that this project avoids, each as a textlint rule.

import type { AnyTxtNode, TxtDocumentNode } from "@textlint/ast-node-types";
import type { TextlintRuleModule } from "@textlint/kernel";
import { extractProse, splitIntoClauses } from "./text.ts";

interface Habit {
  /** The plain form to use, as an instruction. */
  advice: string;
  /** Each match is one case. */
  pattern: RegExp;
  /** Only the beginning of a sentence counts. Questions are exempt. */
  opening?: boolean;
}

const HABITS: Record<string, Habit> = {
  "opening-clause": {
    advice: "Name the noun first.",
    pattern: /^(?:What|Who|Whom|Whose|Whether|Which|How)\b/,
    opening: true,
  },
  "ever-pronoun": {
    advice: 'Write "the caller", "any …" or "each …".',
    pattern: /\b(?:who(?:m|se)?|what|which)(?:so)?ever\b|\bhowever (?:many|much|long|old|often)\b/gi,
  },
  "vague-actor": {
    advice: "Name the role (user, caller, client, worker), or use the passive.",
    pattern: /\b(?:no|some|any|every)body\b|\bno one\b/gi,
  },
  "speech-verb": {
    advice: "Write report, notify, emit, receive, request or query.",
    pattern: /\b(?:tells?|telling|(?:un)?told|says?|saying|said|hears?|hearing|heard|asks?|asking|asked)\b/g,
  },
  "stand-lie": {
    advice: "Write is, appears, is stored or is documented.",
    pattern: /\b(?:stands?|stood|lies?|lain)\b(?!-)/gi,
  },
  "negated-noun": {
    advice: 'Negate the verb: "is not a …".',
    pattern: /\b(?:is|are|was|were|be|been) (?:no (?!longer\b|more than\b)[\w-]+|none\b)/gi,
  },
  "fronted-phrase": {
    advice: "Put the subject first.",
    pattern: /^(?:Of|By(?! default)|Beside|Beyond|Out of)\b/,
    opening: true,
  },
  "motion-verb": {
    advice: "Write result, amounts to, continues, is sent or is deleted.",
    pattern: /\b(?:(?:becomes?|became|comes?|came) of|comes? to|came to|goes|gone|went)\b/gi,
  },
  "vague-word": {
    advice: "Write contain, keep, lock or be valid for hold; text, format or message for words.",
    pattern: /\b(?:holds?|holding|held|words)\b/gi,
  },
  "dated-term": {
    advice:
      "Use the term of the field: time, metric, limit, push notification, publish, refund, fix, next to, as often.",
    pattern: new RegExp(
      [
        String.raw`\b(?:beside|anew|meanwhile|mend(?:s|ed|ing)?|instants?|figures?|bounds?|ceilings?|wake-ups?)\b`,
        String.raw`\b(?:settle[sd]?|so (?:many|much|long|often)|(?:gives?|given|gave|takes?|taken|took) back)\b`,
        String.raw`\bas well\b(?! as)`,
        String.raw`, too\b`,
      ].join("|"),
      "gi",
    ),
  },
};

/** A sentence has at most this many words. */
const LONGEST = 25;

const CHECKED = ["Paragraph", "Header", "TableCell"] as const;

const ruleOf = (find: (node: AnyTxtNode) => { at: number; message: string }[]): TextlintRuleModule => {
  return ({ report, RuleError, locator }) => {
    const check = (node: AnyTxtNode) => {
      for (const { at, message } of find(node)) report(node, new RuleError(message, { padding: locator.at(at) }));
    };
    return Object.fromEntries(CHECKED.map((type) => [type, check]));
  };
};

const habitRule = ({ advice, pattern, opening }: Habit): TextlintRuleModule =>
  ruleOf((node) => {
    const text = extractProse(node);
    if (!opening)
      return [...text.matchAll(pattern)].map(({ 0: word, index }) => ({ at: index, message: `"${word}": ${advice}` }));
    // "How it works" is a usual heading.
    const isHeading = node.type === "Header";
    return splitIntoClauses(text).flatMap(({ at, words }) => {
      const [word] = pattern.exec(words) ?? [];
      if (!word || words.endsWith("?") || (isHeading && word === "How")) return [];
      return [{ at, message: `"${word} …": ${advice}` }];
    });
  });

const longSentence = ruleOf((node) =>
  splitIntoClauses(extractProse(node)).flatMap(({ at, words }) => {
    const count = words.split(/\s+/).filter((word) => /\w/.test(word)).length;
    return count > LONGEST ? [{ at, message: `${count} words: at most ${LONGEST} in a sentence.` }] : [];
  }),
);

/** As wide as the formatter of the code allows. */
const WIDEST = 120;

const wideLine: TextlintRuleModule = ({ report, RuleError, locator, Syntax, getSource }) => ({
  [Syntax.Document](node: TxtDocumentNode) {
    let at = 0;
    let fenced = false;
    const isPage = node.children.some(({ type }) => type !== "Paragraph") || /^#/.test(node.raw);
    for (const line of getSource(node).split("\n")) {
      if (isPage && /^\s*(```|~~~)/.test(line)) fenced = !fenced;
      // A row of a table, a line of code, a picture and an address cannot be broken.
      const exempt = isPage && (fenced || /^\s*(?:\||!\[|<img )/.test(line) || !/\S\s+\S.{40}/.test(line.slice(60)));
      if (line.length > WIDEST && !exempt)
        report(
          node,
          new RuleError(`${line.length} characters: at most ${WIDEST} in a line.`, { padding: locator.at(at) }),
        );
      at += line.length + 1;
    }
  },
});

/** Every rule by its name. */
export const RULES: Record<string, TextlintRuleModule> = {
  ...Object.fromEntries(Object.entries(HABITS).map(([name, habit]) => [name, habitRule(habit)])),
  "long-sentence": longSentence,
  "wide-line": wideLine,
};
