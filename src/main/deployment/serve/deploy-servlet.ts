/**
 * `/svc/deploy`: exports as ZIP archives, and archives imported (docs/interface/deployment.md 7). For administrators; bodies of answers are text, as those who
 * use it expect.
 */
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FilesError, type Job, type ZipEntry } from '../../files/index.js';
import { HttpError, readMultipart, targetOf, type Exchange, type FilePart, type Handler } from '../../http/index.js';
import { Arrival, type Requests } from '../../request/index.js';
import type { Actor } from '../../schema/index.js';
import { ScriptError } from '../../scripting/index.js';
import { AccessError } from '../../security/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { DeploymentContext } from '../common/context.js';
import { refusalOf, type Deployments } from '../jobs/deployments.js';
import { DeploymentError } from '../common/errors.js';
import { withTemporary } from '../tree/temporary.js';

const PATH = '/svc/deploy';
const MB = 1024 * 1024;
const FIELD_SIZE = 64 * 1024;
const MODES = ['app', 'data'] as const;
type Mode = (typeof MODES)[number];

/** Whether the path is that of the servlet. */
export function isDeploy(path: string): boolean {
  return path === PATH || path === `${PATH}/`;
}

class DeployArrival extends Arrival {
  find(): undefined {
    return undefined;
  }

  /** No permission opens it: whoever may import may do everything. */
  signature(): undefined {
    return undefined;
  }

  override admit({ isAdmin }: Actor): void {
    if (!isAdmin) throw new HttpError(401, 'Only administrators may use deployments.');
  }
}

export interface DeployServletParts extends DeploymentContext {
  readonly requests: Requests;
  readonly deployments: Deployments;
}

/** Handler of `/svc/deploy`. */
export function createDeployServlet(parts: DeployServletParts): Handler {
  return async (exchange) => {
    try {
      const { method } = exchange;
      if (method === 'OPTIONS') {
        exchange.setHeader('Allow', 'GET,OPTIONS,POST');
        exchange.end();
        return;
      }
      if (method !== 'GET' && method !== 'POST')
        throw new HttpError(405, `${method} is not possible here.`, { Allow: 'GET,OPTIONS,POST' });
      const arrival = new DeployArrival(exchange);
      const { actor } = await parts.requests.enter(arrival);
      await (method === 'GET' ? sendExport(parts, exchange, actor) : takeImport(parts, arrival, actor));
    } catch (error) {
      refuse(exchange, error);
    }
  };
}

/** `GET`: an export as an archive with one folder at its top. */
async function sendExport(parts: DeployServletParts, exchange: Exchange, actor: Actor): Promise<void> {
  const parameters = new URLSearchParams(exchange.query);
  const mode = parameters.get('mode') ?? 'app';
  if (mode === 'test') {
    exchange.end();
    return;
  }
  const name = parameters.get('name') ?? '';
  if (name === '') throw new HttpError(400, 'Empty name parameter.');
  const known = MODES.find((one) => one === mode);
  if (known === undefined) throw new HttpError(400, 'Unknown mode.');
  // eslint-disable-next-line no-control-regex -- control characters have no place in a header
  if (/[/\\\u0000-\u001f]/.test(name) || name === '.' || name === '..')
    throw new HttpError(403, 'This name leads elsewhere.');
  await withTemporary(async (directory) => {
    const target = join(directory, 'export');
    const types = parameters.get('types') ?? '';
    const job = await begin(parts, known, actor, { mode: 'export', target, types });
    await endOf(job);
    exchange.setHeader('Content-Type', 'application/zip');
    exchange.setHeader('Content-Disposition', `attachment; filename="${name.replaceAll('"', '')}.zip"`);
    exchange.setHeader('Cache-Control', 'private, no-cache, no-store');
    const out = exchange.startStream();
    for await (const piece of parts.files.archiveOf(entriesBelow(target, name))) {
      await out.write(piece);
      if (exchange.aborted) return;
    }
    await out.end();
  });
}

/** Everything below a directory, below a folder of this name. */
async function* entriesBelow(directory: string, name: string): AsyncGenerator<ZipEntry> {
  const facts = await stat(directory);
  yield { name: `${name}/`, modified: facts.mtimeMs, size: 0, packed: false };
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    const inside = `${name}/${entry.name}`;
    if (entry.isDirectory()) yield* entriesBelow(path, inside);
    else {
      const { size, mtimeMs } = await stat(path);
      yield { name: inside, modified: mtimeMs, size, packed: false, read: () => createReadStream(path) };
    }
  }
}

/** `POST`: an archive that is sent, or lies at an address, is imported. */
async function takeImport(parts: DeployServletParts, arrival: DeployArrival, sender: Actor): Promise<void> {
  const { exchange } = arrival;
  const { config } = parts;
  if (!/^multipart\/form-data/i.test(exchange.header('content-type')))
    throw new HttpError(400, 'The request has no parts.');
  await withTemporary(async (directory) => {
    const fields = new Map<string, string>();
    const archive = join(directory, 'archive.zip');
    let size = 0;
    const file = async ({ bytes }: FilePart): Promise<void> => {
      size = await writeTo(archive, bytes, config.get('uploadservlet.maxfilesize') * MB);
    };
    const limits = {
      bodySize: config.get('uploadservlet.maxrequestsize') * MB,
      fieldSize: FIELD_SIZE,
      fieldsSize: 4 * FIELD_SIZE,
      parts: 20,
      filesAtOnce: 1,
    };
    await readMultipart(exchange, limits, { field: (name, value) => void fields.set(name, value), file });
    const mode = MODES.find((one) => one === fields.get('mode'));
    if (mode === undefined) throw new HttpError(400, 'Unknown mode.');
    const { actor } = await parts.requests.enter(arrival);
    if (actor.id !== sender.id) throw new HttpError(401, 'Somebody else is logged in now.');
    const address = fields.get('downloadUrl') ?? '';
    if (address === '' && size === 0) throw new HttpError(400, 'The archive is missing, or empty.');
    const source = address === '' ? archive : address;
    const zipContentPath = fields.get('zipContentPath') ?? '';
    const job = await begin(parts, mode, actor, { mode: 'import', source, zipContentPath });
    const refused = await endOf(job);
    exchange.setHeader('Content-Type', 'text/html;charset=utf-8');
    if (refused !== undefined) {
      exchange.status = 422;
      exchange.end(JSON.stringify({ code: 422, error: refused }).replace(/[<>&]/g, escaped));
      return;
    }
    const redirect = fields.get('redirectUrl') ?? '';
    if (redirect !== '') {
      exchange.status = 302;
      exchange.setHeader('Location', targetOf(redirect));
    }
    exchange.end();
  });
}

function begin({ deployments }: DeployServletParts, mode: Mode, actor: Actor, input: JsonObject): Promise<Job> {
  return mode === 'app' ? deployments.application(actor, input) : deployments.data(actor, input);
}

/** Waits for the end of a job; answers why it was not begun, when that is so. Throws `HttpError` 400 when it has failed. */
async function endOf(job: Job): Promise<string | undefined> {
  await job.ended;
  if (job.status !== 'FINISHED') throw unable(job.exception?.message ?? 'The deployment was aborted.');
  return refusalOf(job);
}

async function writeTo(path: string, bytes: AsyncIterable<Buffer>, most: number): Promise<number> {
  const handle = await open(path, 'w');
  let size = 0;
  try {
    for await (const piece of bytes) {
      size += piece.length;
      if (size > most)
        throw new HttpError(413, `The archive is larger than ${String(most / MB)} MB (uploadservlet.maxfilesize).`);
      await handle.write(piece);
    }
  } finally {
    await handle.close();
  }
  return size;
}

function unable(why: string): HttpError {
  return new HttpError(400, `Unable to deploy file. ${why}`);
}

/** `ERROR (<status>): <why>` */
function refuse(exchange: Exchange, error: unknown): void {
  if (exchange.responded) throw error;
  const status = statusOf(error);
  if (status === undefined) throw error;
  exchange.status = status;
  if (error instanceof HttpError || error instanceof AccessError)
    for (const [name, value] of Object.entries(error.headers)) exchange.setHeader(name, value);
  exchange.setHeader('Content-Type', 'text/plain;charset=utf-8');
  exchange.end(`ERROR (${String(status)}): ${messageOf(error)}\n`);
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpError || error instanceof AccessError) return error.status;
  if (error instanceof FilesError || error instanceof ScriptError || error instanceof DeploymentError) return 400;
  return undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
