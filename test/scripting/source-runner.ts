/** Runs sources over REST, each as a method of its own. */
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';

export interface Ran {
  readonly status: number;
  readonly message: string;
  readonly result: unknown;
}

/** `admin` makes the methods, which all users may call; `client` runs them, `admin` when nothing is said. */
export function sourceRunner(admin: () => Client): (source: string, client?: Client) => Promise<Ran> {
  let count = 0;
  return async (source, client = admin()) => {
    const name = `run${String(++count)}`;
    await admin().create('SchemaMethod', { name, source });
    await allow(admin(), name, 'user', ['POST']);
    const { status, body } = await client.post(`/${name}`, {});
    return { status, message: String(body.message ?? ''), result: body.result };
  };
}
