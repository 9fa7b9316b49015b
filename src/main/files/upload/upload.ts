/**
 * `POST /svc/upload` creates files, `PUT /svc/upload/<uuid>` replaces the content of one (contract, Upload; docs/interface/files.md 3).
 * Content goes to the storage as it arrives; what the fields say, before or after the files, counts when all is there.
 */
import {
  fitsState,
  HttpError,
  readMultipart,
  targetOf,
  unescaped,
  type Exchange,
  type FilePart,
  type Handler,
} from '../../http/index.js';
import type { MultipartLimits } from '../../http/index.js';
import { newId, type GraphNode } from '../../graph/index.js';
import type { Entered } from '../../request/index.js';
import { detectContentType } from '../content/content-type.js';
import type { Contents } from '../content/content.js';
import { onlyChecksums, type Received } from '../content/received.js';
import type { FilesContext } from '../context.js';
import { stateOf } from '../serve/file-state.js';
import { LikelyTarget } from './likely-target.js';
import { createFile, type Arrived } from './new-file.js';
import { UploadArrival } from './upload-arrival.js';
import { Slot, Slots } from './slots.js';
import { refuseId } from './upload-fields.js';
import { checksumsOf, largestFile, mayReplace, refuseRoot, targetFolder } from './upload-target.js';

const PATH = '/svc/upload';
const MB = 1024 * 1024;
const MAX_PARTS = 10_000;
const FILES_AT_ONCE = 8;
/** Requests whose bodies come in at the same time. */
const RECEIVING = 16;
const FIELD_SIZE = MB;
/** Of all fields together: they are in memory, and files are not. */
const FIELDS_SIZE = 8 * MB;

/** Whether the path belongs to uploads. */
export function isUpload(path: string): boolean {
  return path === PATH || path.startsWith(`${PATH}/`);
}

/** Handler of `/svc/upload` and below. */
export function createUpload(context: FilesContext): Handler {
  const slots = new Slots(RECEIVING);
  return async (exchange) => {
    const slot = new Slot(slots);
    try {
      await dispatch(context, exchange, slot);
    } catch (error) {
      context.sendError(exchange, error);
    } finally {
      slot.release();
    }
  };
}

async function dispatch(context: FilesContext, exchange: Exchange, slot: Slot): Promise<void> {
  const { method } = exchange;
  const rest = exchange.path.slice(PATH.length + 1);
  if (method === 'OPTIONS') {
    exchange.setHeader('Allow', 'OPTIONS,POST,PUT');
    exchange.end();
    return;
  }
  if (method !== 'POST' && method !== 'PUT') {
    throw new HttpError(405, `${method} not allowed on ${PATH}`, { Allow: 'OPTIONS,POST,PUT' });
  }
  const arrival = new UploadArrival(exchange, context, method === 'PUT');
  const entered = await context.requests.enter(arrival);
  if (method === 'PUT') await replace(context, arrival, entered, rest, slot);
  else await create(context, arrival, entered, rest, slot);
}

async function create(
  context: FilesContext,
  arrival: UploadArrival,
  entered: Entered<undefined>,
  typeInPath: string,
  slot: Slot,
): Promise<void> {
  const { config, contents, requests, schemas } = context;
  const { exchange } = entered;
  const fields = new Map<string, string>();
  if (typeInPath !== '') fields.set('type', unescaped(typeInPath));
  const target = new LikelyTarget(context, entered.actor, fields);
  // In the sender's order, which is not the one in which they are done with.
  const parts: (Arrived | undefined)[] = [];
  let unpublished: Received[] = [];
  const limit = largestFile(config);
  const file = async ({ filename, contentType, bytes }: FilePart): Promise<void> => {
    const at = parts.push(undefined) - 1;
    const id = newId(context.write().compactIds);
    const place = await target.store(filename);
    const received = await contents.receiveNew(id, bytes, { limit, checksums: await target.checksums(), ...place });
    unpublished.push(received);
    // What a browser sends for a file that nobody chose.
    if (filename !== '' || received.size > 0) parts[at] = { filename, claimed: contentType, received };
  };
  const field = (name: string, value: string): void => {
    fields.set(name, value);
    // Now, not when all files have come.
    refuseId(fields);
  };
  let ids: string[];
  try {
    await readMultipart(exchange, limits(context), { field, file }, slot.during(exchange.bodyStream()));
    slot.release();
    const arrived = parts.filter((one) => one !== undefined);
    if (arrived.length === 0) throw new HttpError(400, 'The request has no part with a file.');
    const names = await target.checksums();
    const files: (Arrived & { readonly type: string })[] = [];
    for (const one of arrived) {
      const type = await detectContentType(one.filename, one.claimed, one.received.head);
      const received = await inItsStore(contents, target, one);
      if (received !== one.received)
        unpublished = unpublished.map((known) => (known === one.received ? received : known));
      files.push({ ...one, type, received: await contents.withChecksums(received, names) });
    }
    const { actor, access } = await requests.again(arrival, entered);
    await refuseRoot(context, actor, fields);
    ids = await schemas.write(
      actor,
      access,
      context.write(),
      async (objects) => {
        const folder = await targetFolder(objects, context, fields);
        const wanted = await checksumsOf(objects, config, folder);
        const created: GraphNode[] = [];
        for (const { type, ...one } of files) {
          const fitting = { ...one, received: onlyChecksums(one.received, wanted) };
          created.push(await createFile(context, objects, fitting, type, fields, folder));
        }
        for (const node of created) await context.callbacks.current?.uploaded(node, objects);
        return created.map((node) => node.id);
      },
      { cancelled: () => exchange.aborted },
    );
    const published = new Set(ids);
    unpublished = unpublished.filter((one) => !published.has(one.file));
  } finally {
    await Promise.all(unpublished.map((received) => contents.abandon(received)));
  }
  respond(exchange, fields, ids.at(-1) ?? '');
}

/** Content of an upload where it belongs, now that all fields are there. */
async function inItsStore(
  contents: Contents,
  target: LikelyTarget,
  { filename, received }: Arrived,
): Promise<Received> {
  const { store, path } = await target.store(filename);
  return store === received.store ? received : contents.relocate(received, store, path);
}

function respond(exchange: Exchange, fields: ReadonlyMap<string, string>, id: string): void {
  const asked = fields.get('redirectOnSuccess') ?? '';
  if (asked !== '') {
    const appended = fields.get('appendUuidOnRedirect')?.toLowerCase() === 'true';
    exchange.status = 302;
    exchange.setHeader('Location', targetOf(appended ? `${asked.replace(/\/$/, '')}/${id}` : asked));
    exchange.end();
    return;
  }
  exchange.setHeader('Content-Type', 'text/html;charset=utf-8');
  exchange.end(id);
}

async function replace(
  context: FilesContext,
  arrival: UploadArrival,
  entered: Entered<undefined>,
  id: string,
  slot: Slot,
): Promise<void> {
  const { config, contents, requests, schemas } = context;
  const { exchange, schema } = entered;
  if (!context.write().idPattern.test(id)) throw new HttpError(400, 'The path must end with the UUID of a file.');
  // Before the body: nobody sends gigabytes to be refused.
  const { before, checksums } = await requests.read(entered, async (tx) => {
    const reading = { tx, schema };
    const node = await mayReplace(reading, entered.actor, entered.access, id);
    mustBeAsKnown(exchange, node);
    return { before: node, checksums: await checksumsOf(reading, config, node) };
  });
  const limit = largestFile(config);
  let received: Received | undefined;
  const file = async (bytes: AsyncIterable<Buffer>): Promise<void> => {
    const earlier = received;
    received = await contents.receive(before, bytes, { limit, checksums });
    if (earlier !== undefined) await contents.discard(earlier);
  };
  let published = false;
  try {
    if (/^multipart\//i.test(exchange.header('content-type'))) {
      const one = { ...limits(context), filesAtOnce: 1 };
      const reader = { field: () => undefined, file: ({ bytes }: FilePart) => file(bytes) };
      await readMultipart(exchange, one, reader, slot.during(exchange.bodyStream()));
    } else await file(slot.during(rawBody(context, exchange)));
    slot.release();
    const content = received;
    if (content === undefined) throw new HttpError(400, 'The request has no part with a file.');
    const { actor, access } = await requests.again(arrival, entered);
    await schemas.write(
      actor,
      access,
      context.write(),
      async (objects) => {
        const now = await mayReplace(objects, actor, access, id);
        mustBeAsKnown(exchange, now);
        const names = await checksumsOf(objects, config, now);
        await contents.publish(objects, now, onlyChecksums(content, names), { sandboxed: actor.isAdmin ? null : true });
      },
      { cancelled: () => exchange.aborted },
    );
    published = true;
  } finally {
    if (received !== undefined && !published) await contents.abandon(received);
  }
  exchange.end();
}

/** Throws `HttpError` 412 when the content is not the one that `If-Match` names: somebody else has replaced it meanwhile. */
function mustBeAsKnown(exchange: Exchange, file: GraphNode): void {
  if (fitsState(exchange.header('if-match'), stateOf(file).validators.etag)) return;
  throw new HttpError(412, 'The file has other content by now.');
}

/** A body that is the content itself. */
function rawBody(context: FilesContext, exchange: Exchange): AsyncIterable<Buffer> {
  const { bodySize } = limits(context);
  const encoding = exchange.header('content-encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') {
    throw new HttpError(415, `Content-Encoding ${encoding} is not supported in uploads.`);
  }
  if (Number(exchange.header('content-length')) > bodySize) {
    throw new HttpError(413, `The request is larger than ${String(bodySize)} bytes.`);
  }
  return exchange.bodyStream();
}

function limits({ config }: FilesContext): MultipartLimits {
  return {
    bodySize: config.get('uploadservlet.maxrequestsize') * MB,
    fieldSize: FIELD_SIZE,
    fieldsSize: FIELDS_SIZE,
    parts: MAX_PARTS,
    filesAtOnce: FILES_AT_ONCE,
  };
}
