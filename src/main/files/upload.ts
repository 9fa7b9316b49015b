/**
 * `POST /svc/upload` creates files, `PUT /svc/upload/<uuid>` replaces the content of one (contract, Upload; files.md 3).
 * Content goes to the storage as it arrives; what the fields say, before or after the files, counts when all is there.
 */
import { HttpError, readMultipart, targetOf, type Exchange, type FilePart, type Handler } from '../http/index.js';
import { newId } from '../graph/index.js';
import { allowed, type Actor, type ObjectAccess } from '../schema/index.js';
import { detectContentType } from './content-type.js';
import type { Received } from './content.js';
import type { FilesContext } from './context.js';
import { createFile, type Arrived } from './new-file.js';
import { checksumsIn, mayReplace, targetFolder } from './upload-target.js';

const PATH = '/svc/upload';
const MB = 1024 * 1024;
const MAX_PARTS = 10_000;
const FIELD_SIZE = MB;

/** Whether the path belongs to uploads. */
export function isUpload(path: string): boolean {
  return path === PATH || path.startsWith(`${PATH}/`);
}

/** Handler of `/svc/upload` and below. */
export function createUpload(context: FilesContext): Handler {
  return async (exchange) => {
    try {
      await dispatch(context, exchange);
    } catch (error) {
      context.sendError(exchange, error);
    }
  };
}

async function dispatch(context: FilesContext, exchange: Exchange): Promise<void> {
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
  const actor = await context.security.authentication.authenticate(exchange);
  const access = await context.security.objectAccess.of(actor);
  if (method === 'PUT') {
    await replace(context, exchange, actor, access, rest);
    return;
  }
  if (actor.id === undefined && !context.config.get('uploadservlet.allowanonymousuploads')) {
    throw new HttpError(401, 'Log in to upload files.');
  }
  await create(context, exchange, actor, access, rest);
}

async function create(
  context: FilesContext,
  exchange: Exchange,
  actor: Actor,
  access: ObjectAccess,
  typeInPath: string,
): Promise<void> {
  const { config, contents, schemas } = context;
  const fields = new Map<string, string>();
  if (typeInPath !== '') fields.set('type', decodeURIComponentSafely(typeInPath));
  const arrived: Arrived[] = [];
  const limit = config.get('uploadservlet.maxfilesize') * MB;
  const file = async (part: FilePart): Promise<void> => {
    const received = await contents.receiveNew(newId(context.write().compactIds), part.bytes, {
      limit,
      checksums: checksumsIn(config),
    });
    arrived.push({ filename: part.filename, claimed: part.contentType, received });
  };
  try {
    await readMultipart(exchange, limits(context), {
      field: (name, value) => fields.set(name, value),
      file,
    });
    if (arrived.length === 0) throw new HttpError(400, 'The request has no part with a file.');
    const types = await Promise.all(
      arrived.map(({ filename, claimed, received }) => detectContentType(filename, claimed, received.head)),
    );
    const ids = await schemas.write(
      actor,
      access,
      context.write(),
      async (objects) => {
        const folder = await targetFolder(objects, context, fields);
        const created: string[] = [];
        for (const [i, one] of arrived.entries()) {
          created.push((await createFile(context, objects, one, types[i] ?? '', fields, folder)).id);
        }
        return created;
      },
      { cancelled: () => exchange.aborted },
    );
    respond(exchange, fields, ids.at(-1) ?? '');
  } catch (error) {
    await Promise.all(arrived.map(({ received }) => contents.discard(received)));
    throw error;
  }
}

function respond(exchange: Exchange, fields: ReadonlyMap<string, string>, id: string): void {
  const asked = fields.get('redirectOnSuccess');
  if (asked !== undefined && asked !== '') {
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
  exchange: Exchange,
  actor: Actor,
  access: ObjectAccess,
  id: string,
): Promise<void> {
  const { config, contents, graph, schemas } = context;
  if (!context.write().idPattern.test(id)) throw new HttpError(400, 'The path must end with the UUID of a file.');
  // Before the body: nobody sends gigabytes to be refused.
  const before = await graph.read(async (tx) => {
    const node = await tx.node(id);
    return node !== undefined && (await allowed(tx, access, 'read', node)) ? node : undefined;
  });
  if (before === undefined) throw new HttpError(404, `No file with UUID ${id} found.`);
  await graph.read((tx) => mayReplace(tx, schemas.schema, actor, access, before));
  const options = { limit: config.get('uploadservlet.maxfilesize') * MB, checksums: checksumsIn(config) };
  let received: Received | undefined;
  const file = async (bytes: AsyncIterable<Buffer>): Promise<void> => {
    const earlier = received;
    received = await contents.receive(before, bytes, options);
    if (earlier !== undefined) await contents.discard(earlier);
  };
  try {
    if (/^multipart\//i.test(exchange.header('content-type'))) {
      await readMultipart(exchange, limits(context), { field: () => undefined, file: ({ bytes }) => file(bytes) });
    } else await file(exchange.bodyStream());
    const content = received;
    if (content === undefined) throw new HttpError(400, 'The request has no part with a file.');
    await schemas.write(
      actor,
      access,
      context.write(),
      async (objects) => {
        const now = await objects.tx.node(id);
        if (now === undefined) throw new HttpError(404, `No file with UUID ${id} found.`);
        await mayReplace(objects.tx, objects.schema, actor, access, now);
        await contents.publish(objects, now, content, { sandboxed: actor.isAdmin ? null : true });
      },
      { cancelled: () => exchange.aborted },
    );
  } catch (error) {
    if (received !== undefined) await contents.discard(received);
    throw error;
  }
  exchange.end();
}

function limits({ config }: FilesContext): { bodySize: number; fieldSize: number; parts: number } {
  return { bodySize: config.get('uploadservlet.maxrequestsize') * MB, fieldSize: FIELD_SIZE, parts: MAX_PARTS };
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(400, 'The path has a broken percent escape.');
  }
}
