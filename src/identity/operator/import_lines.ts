// The lines of a file that is read as a stream, none of them longer than it may be.

import { invalidRequest } from "../../model/api_error.ts";

/** @throws 422 for a line that is longer, and for bytes that are not valid UTF-8. */
export async function* splitImportBytesIntoLines(
  bytes: AsyncIterable<Uint8Array>,
  most: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const read = (part: Uint8Array, stream: boolean) => {
    try {
      return decoder.decode(part, { stream });
    } catch {
      throw invalidRequest("invalid_file", "The file is not valid UTF-8. Use a file from belfry export.", "file");
    }
  };
  let held: string[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    const [first = "", ...rest] = read(chunk, true).split("\n");
    const parts = [first, ...rest];
    for (const [i, part] of parts.entries()) {
      held.push(part);
      length += part.length;
      if (length > most)
        throw invalidRequest("invalid_file", "A line of the file is too long. Use a file from belfry export.", "file");
      if (i === parts.length - 1) break;
      yield held.join("");
      held = [];
      length = 0;
    }
  }
  held.push(read(new Uint8Array(), false));
  const last = held.join("");
  if (last !== "") yield last;
}
