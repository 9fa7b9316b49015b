/** Uploads and downloads of tests about storages, as streams, so that the tests themselves need no memory. */
import { createHash } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.js';
import { pauseAfter } from './files.js';

export interface Uploaded {
  readonly status: number;
  /** The body: id of the file, or the error. */
  readonly text: string;
}

const MB = 1024 * 1024;

/** Bytes that no compression makes smaller and that are never the same twice. */
export function* noise(size: number, seed = 1): Generator<Buffer> {
  const block = Buffer.alloc(MB);
  // A small one needs the beginning only.
  for (let i = 0, x = seed * 2654435761; i < Math.min(size, MB); i += 4)
    block.writeUInt32LE((x = (x * 1664525 + 1013904223) >>> 0), i);
  for (let at = 0, n = 0; at < size; at += MB, n++) {
    block.writeUInt32LE(n, 0);
    yield Buffer.from(block.subarray(0, Math.min(MB, size - at)));
  }
}

export function sha256(pieces: Iterable<Buffer>): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

function headersOf(client: Client): Record<string, string> {
  return {
    ...client.headers,
    ...(client.name === undefined ? {} : { 'X-User': client.name, 'X-Password': client.password ?? '' }),
  };
}

async function send(
  client: Client,
  method: string,
  path: string,
  headers: Record<string, string>,
  pieces: Iterable<Buffer>,
): Promise<Uploaded> {
  // A connection of its own: one that was answered early is closed, and nobody else is to get it.
  const req = request(`${client.url}${path}`, { method, agent: false, headers: { ...headersOf(client), ...headers } });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    req.once('response', resolve);
    req.once('error', reject);
  });
  answered.catch(() => undefined);
  let over = false;
  answered.then(() => (over = true)).catch(() => (over = true));
  try {
    for (const piece of pieces) {
      if (over) break;
      if (!req.write(piece)) await Promise.race([new Promise((resolve) => req.once('drain', resolve)), answered]);
    }
  } catch (error) {
    req.destroy();
    throw error;
  }
  req.end();
  const chunks: Buffer[] = [];
  for await (const chunk of await answered) chunks.push(chunk as Buffer);
  return { status: (await answered).statusCode ?? 0, text: Buffer.concat(chunks).toString() };
}

/** `POST /svc/upload` with these fields, then the file (or the other way round). */
export function upload(
  client: Client,
  fields: Readonly<Record<string, string>>,
  name: string,
  content: Buffer | Iterable<Buffer>,
  fileFirst = false,
): Promise<Uploaded> {
  const boundary = 'part-of-a-test';
  const values = Object.entries(fields).map(
    ([key, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  function* body(): Generator<Buffer> {
    if (!fileFirst) yield Buffer.from(values.join(''));
    yield Buffer.from(head);
    yield* Buffer.isBuffer(content) ? [content] : content;
    yield Buffer.from('\r\n');
    if (fileFirst) yield Buffer.from(values.join(''));
    yield Buffer.from(`--${boundary}--\r\n`);
  }
  return send(client, 'POST', '/svc/upload', { 'Content-Type': `multipart/form-data; boundary=${boundary}` }, body());
}

/** Id of a new file with this content. */
export async function uploaded(
  client: Client,
  fields: Readonly<Record<string, string>>,
  name: string,
  content: Buffer | Iterable<Buffer>,
): Promise<string> {
  const { status, text } = await upload(client, fields, name, content);
  if (status !== 200) throw new Error(`the upload answered ${String(status)}: ${text}`);
  return text;
}

/** `PUT` of new content. */
export function replace(client: Client, id: string, content: Buffer | Iterable<Buffer>): Promise<Uploaded> {
  const pieces = Buffer.isBuffer(content) ? [content] : content;
  return send(client, 'PUT', `/svc/upload/${id}`, { 'Content-Type': 'application/octet-stream' }, pieces);
}

/** Status, size and checksum of what lies at a path. */
export async function download(
  client: Client,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; size: number; sha256: string }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${client.url}${path}`, { headers: { ...headersOf(client), ...headers } }, resolve)
      .once('error', reject)
      .end();
  });
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of answer) {
    size += (chunk as Buffer).length;
    hash.update(chunk as Buffer);
  }
  return { status: answer.statusCode ?? 0, size, sha256: hash.digest('hex') };
}

/** Resident memory of a process in MB, now or at its highest. */
export async function memoryOf(pid: number | undefined, what: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const text = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Number(new RegExp(`${what}:\\s*(\\d+)`).exec(text)?.[1]) / 1024;
}

/** Waits until `look` finds what `is` says; returns it, or what it was at the end. */
export async function until<T>(look: () => Promise<T> | T, is: (found: T) => boolean, time = 60_000): Promise<T> {
  const begun = Date.now();
  for (;;) {
    const found = await look();
    if (is(found) || Date.now() > begun + time) return found;
    await sleep(pauseAfter(begun));
  }
}
