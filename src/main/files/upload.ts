/**
 * `POST /svc/upload` creates files, `PUT /svc/upload/<uuid>` replaces the content of one (contract, Upload; files.md 3).
 * Content goes to the storage as it arrives; what the fields say, before or after the files, counts when all is there.
 */
import { HttpError, readMultipart, targetOf, type Exchange, type FilePart, type Handler } from '../http/index.js';
import { newId, type GraphNode } from '../graph/index.js';
import {
  allowed,
  freePlace,
  type Actor,
  type ObjectAccess,
  type ObjectTransaction,
  type Type,
  withoutNulls,
} from '../schema/index.js';
import type { JsonObject, JsonValue } from '../../shared/json.js';
import { JsonSyntaxError, parseJsonSync } from '../../shared/json-parse.js';
import { logger } from '../../shared/log.js';
import { detectContentType } from './content-type.js';
import type { Received } from './content.js';
import type { FilesContext } from './context.js';
import { FilesError } from './errors.js';
import { checksumsIn, mayReplace, targetFolder } from './upload-target.js';

const log = logger('files.upload');

const PATH = '/svc/upload';
const MB = 1024 * 1024;
const MAX_PARTS = 10_000;
const FIELD_SIZE = MB;
/** Parts that say something about the upload; all others are properties. */
const ABOUT: ReadonlySet<string> = new Set([
  'type',
  'parent',
  'parentId',
  'uploadFolderPath',
  'redirectOnSuccess',
  'appendUuidOnRedirect',
]);

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

/** A file that has arrived. */
interface Arrived {
  readonly filename: string;
  readonly claimed: string;
  readonly received: Received;
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

async function createFile(
  { contents, write }: FilesContext,
  objects: ObjectTransaction,
  { filename, received }: Arrived,
  contentType: string,
  fields: ReadonlyMap<string, string>,
  folder: GraphNode | undefined,
): Promise<GraphNode> {
  const type = typeFor(objects, fields.get('type'), contentType);
  const input = inputOf(type, fields);
  const wanted = typeof input['name'] === 'string' ? input['name'] : filename.replaceAll('\\', '/');
  // The check of names is done here even where others are not checked (files.md 2).
  const free = await freePlace(objects, folder?.id, wanted, write().uniquePaths ?? 'beforeextension');
  const node = await objects.create(
    type,
    { contentType, ...input, name: free.name },
    {
      id: received.file,
      properties: {
        ...withoutNulls(contents.published(received)),
        place: free.place,
        hasParent: folder !== undefined,
        ...(objects.actor.isAdmin ? {} : { sandboxed: true }),
      },
    },
  );
  if (folder !== undefined) {
    await objects.tx.createRelationship({
      id: objects.newId(),
      type: 'FolderCONTAINSFile',
      relType: 'CONTAINS',
      sourceId: folder.id,
      targetId: node.id,
      properties: {},
    });
  }
  return node;
}

/** The type that was asked for, as far as it is one of files; else what the content is. */
function typeFor({ schema }: ObjectTransaction, named: string | undefined, contentType: string): Type {
  if (named !== undefined) {
    const type = schema.type(named);
    if (type?.hasTrait('File') === true) return type;
    log.warn(`an upload asks for type "${named}", which is no type of files; the type follows the content`);
  }
  const name = contentType.startsWith('image/') ? 'Image' : contentType.startsWith('video/') ? 'VideoFile' : 'File';
  const type = schema.type(name);
  if (type === undefined) throw new FilesError(500, `The schema has no type ${name}.`);
  return type;
}

/** Properties of the fields. Texts are JSON where that makes sense, `12`, `true` and `[{"id":"..."}]`, else themselves. */
function inputOf(type: Type, fields: ReadonlyMap<string, string>): JsonObject {
  const input = Object.create(null) as JsonObject;
  for (const [name, text] of fields) {
    if (ABOUT.has(name)) continue;
    const property = type.properties.get(name);
    const isText = property?.kind === 'value' && property.valueType === 'String' && !text.startsWith('"');
    input[name] = isText && text !== 'null' ? text : jsonOr(text);
  }
  return input;
}

function jsonOr(text: string): JsonValue {
  try {
    return parseJsonSync(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return text;
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
