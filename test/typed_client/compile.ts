// A TypeScript program with our OpenAPI document: openapi-typescript generates types from it, and a compiler checks
// client.ts against them. The types are generated in memory each time; nothing of them is kept.

import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const CLIENT = fileURLToPath(new URL("client.ts", import.meta.url));
/** The file that client.ts takes its types from. */
const TYPES = fileURLToPath(new URL("paths.ts", import.meta.url));

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2024,
  lib: ["lib.es2024.d.ts", "lib.dom.d.ts"],
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  types: [],
};

/** The libraries' files, read once for all compilations of a run. */
const read = new Map<string, ts.SourceFile | undefined>();

/** The types that openapi-typescript makes from a document. */
export const generateTypes = async (document: object): Promise<string> =>
  astToString(await openapiTS(document as never));

/** The compiler's complaints about client.ts when its types are generated from this document, one on each line. */
export async function compileClient(document: object): Promise<string[]> {
  const types = await generateTypes(document);
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => name === TYPES || fileExists(name);
  host.readFile = (name) => (name === TYPES ? types : readFile(name));
  host.getSourceFile = (name, language, ...rest) => {
    if (name === TYPES) return ts.createSourceFile(name, types, language);
    if (!read.has(name)) read.set(name, getSourceFile(name, language, ...rest));
    return read.get(name);
  };
  const program = ts.createProgram([CLIENT], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, " ");
    if (!file || start === undefined) return text;
    return `test/typed_client/client.ts:${file.getLineAndCharacterOfPosition(start).line + 1}: ${text}`;
  });
}
