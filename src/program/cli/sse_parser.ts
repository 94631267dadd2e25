// Server-sent events, as they come over a connection: each the values of its lines by their names.

/** Yields each event of a body that is one stream of them; comments have no lines. Ends, or throws, with the body. */
export async function* parseEventStream(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Record<string, string>> {
  let rest = "";
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield linesOf(block);
  }
}

/** Lines of one name are one value, as the field's standard defines for `data`. */
function linesOf(block: string): Record<string, string> {
  const event: Record<string, string> = {};
  for (const [, name = "", value = ""] of block.matchAll(/^([^:\r\n]+): ?(.*)$/gm))
    event[name] = name in event ? `${event[name]}\n${value}` : value;
  return event;
}
