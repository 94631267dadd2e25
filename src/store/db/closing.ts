// The last statement of a transaction goes out with its `commit`: one exchange with the server in place of two. They are one
// message up to its end, so that nothing is committed when the statement fails.

import type { QueryClass } from "./opening.ts";

/** What pg keeps below a query; its names are not ours. */
interface Connection {
  parse(statement: { text: string }): void;
  bind(portal: object): void;
  execute(portal: object): void;
  sync(): void;
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
