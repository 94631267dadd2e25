// A file as it comes in: named by its owner, believed by nobody, and read only when somebody asks for its bytes.

export class IncomingFile {
  /** The bytes as they come. An array of one is a stream, too. */
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** It is read after the bytes, since a form may send it behind them. */
  name: string;
  /** How many bytes were announced; 0 where nobody said. */
  readonly announced: number;

  constructor(chunks: IncomingFile["chunks"], name: string, announced = 0) {
    this.chunks = chunks;
    this.name = name;
    this.announced = announced;
  }
}
