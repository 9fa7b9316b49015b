/** Logins of the bench. */
import type { Requests } from './context.js';
import type { ServerProcess } from './server-process.js';

/** Headers of somebody who has logged in; throws when the login is refused. */
export async function session(
  server: ServerProcess,
  credentials: Record<string, string>,
): Promise<NonNullable<Requests['headers']>> {
  const answer = await fetch(`${server.url}/svc/rest/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`the login answered ${String(answer.status)}: ${await answer.text()}`);
  return { cookie };
}
