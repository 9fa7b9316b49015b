/** The connection of a thread that reads: one, whatever work comes to it. */
import { Connection } from '../connection/connection.js';

let check: () => void = () => undefined;
let connection: { readonly file: string; readonly open: Connection } | undefined;

/** Opens the database, unless it is the one that is open. `cacheMegabytes` counts when it is opened. */
export function threadConnection(file: string, cacheMegabytes: number): Connection {
  if (connection?.file !== file) {
    connection?.open.close();
    const guard = {
      check: () => {
        check();
      },
    };
    connection = { file, open: new Connection(file, { readonly: true, cacheMegabytes, guard }) };
  }
  return connection.open;
}

/** Asked within long statements from now on; what it throws ends them. */
export function threadCheck(work: () => void): void {
  check = work;
}
