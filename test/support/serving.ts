/** Files as their visitors get them: made by upload, asked for by paths exactly as written. */
import { request, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Client } from './client.js';
import type { TestServer } from './server.js';

/** An answer as it came, nothing decoded. */
export interface Served {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as text. */
  readonly text: string;
}

export type Headers = Readonly<Record<string, string>>;

/** Headers of the initial administrator. */
export const ADMIN: Headers = { 'X-User': 'admin', 'X-Password': 'admin' };

/** A request whose path is sent as it is. */
export function fetchPath(
  server: TestServer,
  path: string,
  headers: Headers = {},
  method = 'GET',
  sent?: string,
): Promise<Served> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () => {
        const body = Buffer.concat(pieces);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body, text: body.toString() });
      });
    });
    asked.on('error', reject);
    asked.end(sent);
  });
}

/** The text of a body that was compressed with gzip. */
export function unpacked(answer: Served): string {
  return gunzipSync(answer.body).toString();
}

/** Status for each of the headers. */
export async function statusOf(server: TestServer, path: string, headers: Headers = {}): Promise<number> {
  return (await fetchPath(server, path, headers)).status;
}

/** What a file of a test is like. */
export interface Made {
  readonly name: string;
  readonly content?: string | Buffer;
  /** Id of its folder; absent: the root of the tree. */
  readonly parent?: string;
  /** Set on it afterwards. */
  readonly properties?: Record<string, unknown>;
  /** Who uploads; absent: the initial administrator. */
  readonly by?: Headers;
}

/** Uploads a file, public unless it says otherwise; returns its uuid. */
export async function makeFile(server: TestServer, { name, content = 'content', ...more }: Made): Promise<string> {
  const { admin } = server;
  const form = new FormData();
  form.set('file', new Blob([content]), 'upload.bin');
  const answer = await fetch(`${server.url}/svc/upload`, { method: 'POST', body: form, headers: more.by ?? ADMIN });
  const id = await answer.text();
  if (answer.status !== 200) throw new Error(`the upload answered ${String(answer.status)}: ${id}`);
  const properties = { name, parent: more.parent ?? null, visibleToPublicUsers: true, ...more.properties };
  await change(admin, `/File/${id}`, properties);
  return id;
}

/** A folder, public unless it says otherwise; returns its uuid. */
export function makeFolder(
  server: TestServer,
  name: string,
  parent?: string,
  properties: Record<string, unknown> = {},
): Promise<string> {
  return server.admin.create('Folder', {
    name,
    ...(parent === undefined ? {} : { parent }),
    visibleToPublicUsers: true,
    ...properties,
  });
}

/** Changes an object, or fails with what the server says. */
export async function change(client: Client, path: string, properties: Record<string, unknown>): Promise<void> {
  const answer = await client.put(path, properties);
  if (answer.status !== 200) throw new Error(`PUT ${path} answered ${String(answer.status)}: ${answer.text}`);
}

/** Replaces the content of a file. */
export async function replaceContent(server: TestServer, id: string, content: string | Buffer): Promise<void> {
  const answer = await fetchPath(server, `/svc/upload/${id}`, ADMIN, 'PUT', content as string);
  if (answer.status !== 200) throw new Error(`PUT answered ${String(answer.status)}: ${answer.text}`);
}
