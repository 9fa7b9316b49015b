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

/** Names by number, for what is read in one transaction. */
export function namesOf(from: Connection): (number: number) => string {
  const known = new Map<number, string>();
  return (number) => {
    let name = known.get(number);
    if (name === undefined) {
      name = String(from.get('SELECT text FROM name_table WHERE id=?', [number])?.[0]);
      known.set(number, name);
    }
    return name;
  };
}

/** Asked within long statements from now on; what it throws ends them. */
export function threadCheck(work: () => void): void {
  check = work;
}
