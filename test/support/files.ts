/** Builders for the file room: multipart bodies, uploads, and what lies on disk. */
import { readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client } from './client.js';
import type { TestServer } from './server.js';

/** A part of a multipart body; with `filename` a file. */
export interface Part {
  readonly name?: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: string | Buffer;
}

export const BOUNDARY = '----svc-test-boundary';

/** A part with a file. */
export function file(filename: string, content: string | Buffer = `content of ${filename}`, type?: string): Part {
  return { name: 'file', filename, content, ...(type === undefined ? {} : { type }) };
}

/** Parts with fields. */
export function fields(values: Readonly<Record<string, string>>): Part[] {
  return Object.entries(values).map(([name, content]) => ({ name, content }));
}

/** The body of a form. */
export function multipart(parts: readonly Part[], boundary = BOUNDARY): Buffer {
  const pieces: Buffer[] = [];
  for (const { name, filename, type, content } of parts) {
    const quoted = (text: string): string => text.replace(/(["\\])/g, '\\$1');
    const disposition = [
      'Content-Disposition: form-data',
      ...(name === undefined ? [] : [`name="${quoted(name)}"`]),
      ...(filename === undefined ? [] : [`filename="${quoted(filename)}"`]),
    ].join('; ');
    const head = [`--${boundary}`, disposition, ...(type === undefined ? [] : [`Content-Type: ${type}`]), '', ''];
    pieces.push(Buffer.from(head.join('\r\n')), Buffer.from(content), Buffer.from('\r\n'));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return Buffer.concat(pieces);
}

export interface UploadOptions {
  readonly path?: string;
  readonly method?: 'POST' | 'PUT';
  readonly headers?: Record<string, string>;
}

/** Sends a form of these parts. */
export function upload(client: Client, parts: readonly Part[], options: UploadOptions = {}): Promise<Answer> {
  return sendForm(client, multipart(parts), `multipart/form-data; boundary=${BOUNDARY}`, options);
}

/** Sends a body as a form. */
export function sendForm(client: Client, body: Buffer, type: string, options: UploadOptions = {}): Promise<Answer> {
  const { method = 'POST', path = '/svc/upload', headers = {} } = options;
  return client.send(method, path, body, { 'Content-Type': type, ...headers });
}

/** Uploads one file; its uuid. */
export async function uploaded(client: Client, part: Part, values: Record<string, string> = {}): Promise<string> {
  const answer = await upload(client, [...fields(values), part]);
  if (answer.status !== 200) throw new Error(`the upload answered ${String(answer.status)}: ${answer.text}`);
  return answer.text;
}

/** A file or folder with all its properties. */
export async function objectOf(client: Client, id: string, type = 'AbstractFile'): Promise<Record<string, unknown>> {
  const answer = await client.get(`/${type}/${id}/all`);
  if (answer.status !== 200) throw new Error(`${type} ${id} answered ${String(answer.status)}: ${answer.text}`);
  return (answer.body as { result: Record<string, unknown> }).result;
}

/** Bytes and headers of what is served at a path of the site. */
export function served(
  client: Client,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Answer['headers']; bytes: Buffer }> {
  const credentials = client.name === undefined ? {} : { 'X-User': client.name, 'X-Password': client.password ?? '' };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${client.url}${path}`, { headers: { ...credentials, ...client.headers, ...headers } });
    sent.on('error', reject);
    sent.on('response', (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        resolve({ status: res.statusCode ?? 0, headers: res.headers, bytes: Buffer.concat(chunks) });
      });
    });
    sent.end();
  });
}

/** Names of all contents in the server's storage. */
export async function contentsOnDisk(server: TestServer, folder = 'files'): Promise<string[]> {
  const entries = await readdir(join(server.folder, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  // Marks of the folder, and of work that goes on, are no content.
  return entries
    .filter(
      (entry) => entry.isFile() && !entry.name.startsWith('.svc-store') && !entry.parentPath.includes('._svc_media'),
    )
    .map((entry) => entry.name);
}

/** Objects of a type. */
export async function countOf(client: Client, type: string): Promise<number> {
  return Number((await client.get(`/${type}?_pageSize=1`)).body.result_count);
}

/** Waits until something holds: what follows an answer (content that goes after the commit) takes a moment. */
export async function until(holds: () => Promise<boolean>, what: string, time = 60_000): Promise<void> {
  const begun = Date.now();
  for (; !(await holds()); await sleep(pauseAfter(begun))) {
    if (Date.now() > begun + time) throw new Error(`not within ${String(time)} ms: ${what}`);
  }
}

/** Milliseconds until one that has waited since then looks again: who waits for long takes no processor from what is waited for. */
export function pauseAfter(begun: number): number {
  return Math.min(100, 10 + (Date.now() - begun) / 10);
}

/** The object of a file once nothing is done with its content any more. */
export async function processed(client: Client, id: string): Promise<Record<string, unknown>> {
  let object: Record<string, unknown> = {};
  await until(async () => {
    object = await objectOf(client, id);
    return object['processingState'] === null || object['processingState'] === 'FAILED';
  }, `the content of ${id} is worked on`);
  return object;
}
