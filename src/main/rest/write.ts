import { type GraphEntity, GraphError, type GraphNode, type NodeQuery, type Predicate } from '../graph/index.js';
import type { RequestContents } from '../files/index.js';
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import {
  allowed,
  onlyReadable,
  prepareInput,
  type ObjectTransaction,
  type PrepareContext,
  type Type,
  type WriteOptions,
} from '../schema/index.js';
import { NobodyThere } from './answer/envelope.js';
import { inTable } from './request/table-errors.js';
import type { RestRequest } from './context.js';

/** Content of files that was stored for the inputs of a request. */
const contentsOf = new WeakMap<RestRequest, RequestContents>();

/** Objects of a body from which on others must not wait while they are converted and checked. */
const MANY = 200;

/**
 * Runs `work` as the one transaction of a writing request, with the headers that change how it writes. Where objects of `type` have
 * methods of users that run with it, or it writes many objects (`many`, or those of the body), it computes without the writer, and may
 * be done several times, with one result. `unknown`: that shows when it is done.
 */
export function write<T>(
  request: RestRequest,
  type: string | undefined,
  work: (objects: ObjectTransaction) => Promise<T>,
  many: boolean | 'unknown' = holdsMany(request.body.value),
): Promise<T> {
  const { exchange, services, settings } = request;
  const mergeNested = exchange.header('svc-force-merge-of-nested-properties').toLowerCase() === 'enabled';
  const noCascade = exchange.header('svc-cascading-delete').toLowerCase() === 'disabled';
  const contents = contentsOf.get(request);
  // Copying the settings shows in a profile, and hardly any request has any of these.
  const options: WriteOptions =
    mergeNested || noCascade || contents !== undefined
      ? { ...settings.write, mergeNested, noCascade, ...(contents === undefined ? {} : { contents }) }
      : settings.write;
  const { schemas } = services;
  const beside = (): Promise<T> =>
    schemas.writeLast(request.actor, request.access, options, work, () => exchange.aborted);
  const atOnce = (small?: boolean): Promise<T> =>
    schemas.write(request.actor, request.access, options, work, small === true ? { small } : undefined);
  let writing: Promise<T>;
  if ((many === true && schemas.gathersMany) || (type !== undefined && schemas.runsMethods(type))) writing = beside();
  else if (many === 'unknown' && schemas.gathersMany) {
    writing = atOnce(true).catch((error: unknown) => {
      if (error instanceof GraphError && error.code === 'large') return beside();
      throw error;
    });
  } else writing = atOnce();
  return contents === undefined ? writing : endContents(contents, writing);
}

/** Whether a body holds many objects, at any depth. */
function holdsMany(value: JsonValue): boolean {
  let left = MANY;
  const visit = (one: JsonValue): boolean => {
    if (typeof one !== 'object' || one === null) return false;
    if (Array.isArray(one)) return one.some(visit);
    if (--left <= 0) return true;
    for (const key in one) if (visit(one[key] as JsonValue)) return true;
    return false;
  };
  return visit(value);
}

/** What was stored and not published is nobody's. */
async function endContents<T>(contents: RequestContents, writing: Promise<T>): Promise<T> {
  let published = false;
  try {
    const result = await writing;
    published = true;
    return result;
  } finally {
    await contents.end(published);
  }
}

/**
 * Does the slow part of converting inputs (hashing of passwords) before their transaction begins. Inputs with an id are
 * taken for objects of their real type. `target` is the object that the URL names. Ends when the client has gone.
 */
export async function prepare(
  request: RestRequest,
  type: Type,
  inputs: readonly JsonObject[],
  target?: GraphEntity,
): Promise<void> {
  const { schema, services, settings, exchange } = request;
  const context: PrepareContext = {
    // What the user may not see must not change what he is told.
    byId: (id) =>
      services.graph.read(async (tx) => {
        const found = await tx.node(id);
        return found !== undefined && (await allowed(tx, request.access, 'read', found)) ? found : undefined;
      }),
    byName: (named, input) => byName(request, named, input),
    passwords: settings.write.passwords,
    contents: {
      store: (...content) => {
        let contents = contentsOf.get(request);
        if (contents === undefined) contentsOf.set(request, (contents = services.files.inputContents(request.actor)));
        return contents.store(...content);
      },
    },
  };
  const node = target?.kind === 'node' ? target : undefined;
  let at = 0;
  try {
    for (const input of inputs) {
      if (exchange.aborted) throw new NobodyThere();
      await prepareInput(schema, type, input, context, node);
      at++;
    }
  } catch (error) {
    await contentsOf.get(request)?.end(false);
    throw inTable(request.body, error, () => at);
  }
}

/** Only among what the request may see: the time of an answer must not tell which others there are. */
async function byName(request: RestRequest, type: Type, input: JsonObject): Promise<GraphNode | undefined> {
  const terms: Predicate[] = [];
  const { name, eMail } = input;
  if (typeof name === 'string') terms.push({ op: 'equals', key: 'name', value: name });
  if (typeof eMail === 'string') terms.push({ op: 'equals', key: 'eMail', value: eMail });
  if (terms.length === 0) return undefined;
  const query: NodeQuery = {
    kind: 'nodes',
    trait: type.name,
    types: type.concreteTypes,
    where: { op: 'and', terms },
    limit: 2,
  };
  const found = await request.services.graph.read((tx) => tx.find(onlyReadable(query, request.access)));
  return found.length === 1 ? found[0] : undefined;
}
