// An estimate of the tokens of JSON and of English text. It was compared with o200k of gpt-tokenizer 4.0.0. The list of
// all tools differs by less than 1 %, one tool by -9 to 4 %, and an answer with ids by -5 to 2 %.

/** The pieces into which o200k cuts a text before it looks up tokens. */
const PIECES = /[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+/gu;

/** Letters that one token covers beyond the first, and signs of punctuation in one token. */
const LETTERS = 12;
const SIGNS = 3;

/** An id on the wire. Its random part has about two characters in a token. */
const IDS = /\b[a-z]{3}_[0-9a-z]{26}\b/g;
const ID_TOKENS = 20;

export function estimateTokens(text: string): number {
  let tokens = 0;
  const rest = text.replace(IDS, () => {
    tokens += ID_TOKENS;
    return "";
  });
  for (const [piece] of rest.matchAll(PIECES)) {
    const letters = piece.replace(/[^\p{L}]/gu, "").length;
    tokens += letters > 0 ? Math.max(1, Math.ceil((letters - 1) / LETTERS)) : Math.ceil(piece.length / SIGNS);
  }
  return tokens;
}
