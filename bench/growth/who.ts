/** Who asks in the cases about growth. */
import type { Requests } from '../context.js';
import { CREDENTIALS, type ServerProcess } from '../server-process.js';
import { session } from '../session.js';

export const WHO = ['administrator', 'anonymous'] as const;
export type Who = (typeof WHO)[number];

/** Headers of each; the administrator has a session. */
export async function headersOf(
  server: ServerProcess,
): Promise<Readonly<Record<Who, NonNullable<Requests['headers']>>>> {
  const administrator = await session(server, { name: CREDENTIALS['X-User'], password: CREDENTIALS['X-Password'] });
  return { administrator, anonymous: {} };
}
