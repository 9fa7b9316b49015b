/** From content that has arrived, and the fields that came with it, to a file in a folder. */
import type { GraphNode } from '../graph/index.js';
import { freePlace, withoutNulls, type ObjectTransaction, type Type } from '../schema/index.js';
import type { JsonObject, JsonValue } from '../../shared/json.js';
import { JsonSyntaxError, parseJsonSync } from '../../shared/json-parse.js';
import { logger } from '../../shared/log.js';
import type { Received } from './content.js';
import type { FilesContext } from './context.js';
import { FilesError } from './errors.js';

const log = logger('files.upload');

/** Parts that say something about the upload; all others are properties. */
const ABOUT: ReadonlySet<string> = new Set([
  'type',
  'parent',
  'parentId',
  'uploadFolderPath',
  'redirectOnSuccess',
  'appendUuidOnRedirect',
]);

/** A file that has arrived. */
export interface Arrived {
  readonly filename: string;
  readonly claimed: string;
  readonly received: Received;
}

/** Makes what has arrived a file: content becomes its own with the commit. */
export async function createFile(
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
