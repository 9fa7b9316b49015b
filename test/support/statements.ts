/** Statements that a server logs (`log.cypher.debug`), counted. */
import type { Client } from './client.js';
import type { TestServer } from './server.js';

/** Answers how many were logged up to now that match; to be asked as often as wanted. */
export async function statementsOf(server: TestServer, admin: Client, pattern: RegExp): Promise<() => Promise<number>> {
  await admin.create('SchemaMethod', { name: 'mark', source: "{ $.log('marker ' + $.retrieve('n')); }" });
  let marks = 0;
  return async () => {
    // All that was logged before is in `lines` then.
    await admin.post('/mark', { n: ++marks });
    await server.untilLogged(new RegExp(`marker ${String(marks)}\\b`));
    return server.logged(pattern).length;
  };
}
