// A transaction's `begin` goes out with its first statement, and its `commit` with the last: one exchange with the server in place of two.
// They are one message up to its end, so that a statement does not run where the transaction did not begin, and nothing is committed
// when it fails.

/** What pg keeps below a query; its names are not ours. */
interface Connection {
  parse(statement: { text: string }): void;
  bind(portal: object): void;
  execute(portal: object): void;
  sync(): void;
  /** The statements, by name, that were sent to be parsed. */
  submittedNamedStatements: Record<string, string>;
}

export interface QueryConfig {
  name?: string;
  text: string;
  values?: unknown;
  query_timeout?: number;
  queryMode?: "extended";
}

/** pg's query: the part of it that this one adds to. */
export interface Query {
  name?: string;
  query_timeout?: number;
  prepare(connection: Connection): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
}

export type QueryClass = new (
  config: QueryConfig,
  values: undefined,
  done: (error: Error | null, result: unknown) => void,
) => Query;

/** A class of queries that begin a transaction and then do what they say in it. */
export function openingQuery(Query: QueryClass): QueryClass {
  return class Opening extends Query {
    #opened = false;
    #name: string | undefined;

    override prepare(connection: Connection): void {
      connection.parse({ text: "begin" });
      connection.bind({});
      connection.execute({});
      super.prepare(connection);
      // What the server says first is about `begin`: pg must not note it down for the statement of this name.
      this.#name = this.name;
      this.name = undefined;
    }

    override handleCommandComplete(message: unknown, connection: Connection): void {
      if (this.#opened) super.handleCommandComplete(message, connection);
      else this.name = this.#name;
      this.#opened = true;
    }

    override handleError(error: Error, connection: Connection): void {
      // Without its transaction the statement was not even parsed.
      if (!this.#opened && this.#name) delete connection.submittedNamedStatements[this.#name];
      super.handleError(error, connection);
    }
  };
}

/** A class of queries that do what they say and then commit the transaction that they stand in. */
export function closingQuery(Base: QueryClass): QueryClass {
  return class Closing extends Base {
    // pg calls it once the statement is bound, and would end the message here.
    _getRows(connection: Connection): void {
      connection.execute({});
      connection.parse({ text: "commit" });
      connection.bind({});
      connection.execute({});
      connection.sync();
    }
  };
}
