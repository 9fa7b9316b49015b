/** What a server says of itself. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { hostname } from 'node:os';
import type { Config } from './config/index.js';

/** How other instances and clients call this one: a replica of a set has its number, others a name of their own. */
export function memberName(config: Config): string {
  const replica = process.env['REPLICA'] ?? '';
  if (replica !== '') return `cluster-node-${replica}`;
  // It goes into a header.
  const given = config.get('application.instance.name').replace(/[^ -~]/g, '?');
  return given || `${hostname()}-${String(process.pid)}`;
}

/** The launcher, which runs commands (bin/svc.js). */
export function launcherFile(): string {
  return fileURLToPath(new URL('../../../bin/svc.js', import.meta.url));
}

/** The version of the program. */
export async function readVersion(): Promise<string> {
  const file = new URL('../../../package.json', import.meta.url);
  const parsed = JSON.parse(await readFile(file, 'utf8')) as { version?: unknown };
  return typeof parsed.version === 'string' ? parsed.version : 'unknown';
}
