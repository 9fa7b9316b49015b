/** Bytes for tests of files, and ways to get them back. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** Bytes that look random and are the same for the same seed. */
export function bytesOf(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let state = seed >>> 0 || 1;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, size >> 2);
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  bytes.fill(state & 255, (size >> 2) << 2);
  return bytes;
}

export function sha1(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('base64');
}

export const ADMIN = { 'X-User': 'admin', 'X-Password': 'admin' } as const;

export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Gets a body as it is. */
export async function getBytes(url: string, headers: Readonly<Record<string, string>> = ADMIN): Promise<Got> {
  const answer = await fetch(url, { headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Paths of all files below a folder but the mark of a folder of content; none when it is not there. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.svc-store'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Uploads a file; returns its UUID. */
export async function upload(
  url: string,
  name: string,
  bytes: Uint8Array,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = ADMIN,
): Promise<string> {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set('file', new File([new Uint8Array(bytes)], name));
  // Making large content takes so long that the server may have closed what was kept open: that is heard of first.
  await setTimeout(1);
  const answer = await fetch(`${url}/svc/upload`, { method: 'POST', body: form, headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the upload of ${name} answered ${String(answer.status)}: ${text}`);
  return text;
}
