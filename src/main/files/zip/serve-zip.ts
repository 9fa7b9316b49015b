/**
 * `GET <folder>?_zip`: a folder as a ZIP archive, made while it is sent; `_filename` names it. `_ids=<uuid>,<uuid>` takes
 * these files and folders instead, at `/` or a folder's path. Without `_zip` the path of a folder leads nowhere.
 */
import { entriesOf, seenBy, type Reader } from './entries.js';
import type { GraphNode } from '../../graph/index.js';
import type { Exchange } from '../../http/index.js';
import { readable, type Actor, type ObjectAccess } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import { attachment } from '../serve/disposition.js';
import { FilesError } from '../errors.js';

/** Files and folders that a request may choose. */
const MOST_CHOSEN = 1000;

/** Whether a request may be one for an archive. */
export function isZip({ query }: Exchange): boolean {
  return query !== '' && query.includes('_zip');
}

/** Answers a request for an archive; false: it is none. `path`: decoded. */
export async function sendZip(
  context: FilesContext,
  exchange: Exchange,
  path: string,
  actor: Actor,
  access: ObjectAccess,
): Promise<boolean> {
  const parameters = new URLSearchParams(exchange.query);
  if (!parameters.has('_zip')) return false;
  const chosen = parameters.get('_ids') ?? undefined;
  const folder = await folderAt(context, path, access);
  if (folder === undefined && !(path === '/' && chosen !== undefined)) return false;
  const { signal } = exchange;
  const reader: Reader = { actor, access, signal, asShown: true };
  const roots = chosen === undefined ? [] : await chosenBy(context, chosen, reader);
  if (chosen === undefined && folder !== undefined) roots.push(folder);
  const [only] = roots;
  const own = folder ?? (roots.length === 1 ? only : undefined);
  const begin = (): void => {
    exchange.setHeader('Content-Type', 'application/zip');
    exchange.setHeader('Content-Disposition', attachment(parameters.get('_filename') || zipName(own)));
    exchange.setHeader('Cache-Control', 'private, no-cache, no-store');
    exchange.setHeader('X-Content-Type-Options', 'nosniff');
  };
  if (exchange.method === 'HEAD') {
    begin();
    await exchange.startStream().end();
    return true;
  }
  const bytes = context.archives.of(entriesOf(context, reader, roots));
  // The first piece before the head: what cannot be read is an error, not a broken answer.
  let out;
  for await (const piece of bytes) {
    if (out === undefined) {
      begin();
      out = exchange.startStream();
    }
    await out.write(piece);
    if (exchange.aborted) return true;
  }
  await out?.end();
  return true;
}

/** `<name>.zip` */
export function zipName(node: GraphNode | undefined): string {
  const name = node?.properties['name'];
  const base = typeof name === 'string' && name !== '' ? name : 'files';
  return /\.zip$/i.test(base) ? base : `${base}.zip`;
}

/** The folder at a path, when it and every folder above may be read; or the one with this UUID. */
async function folderAt(context: FilesContext, path: string, access: ObjectAccess): Promise<GraphNode | undefined> {
  const { graph, schemas, tree, write } = context;
  if (path.endsWith('/') || path.includes('//')) return undefined;
  const isFolder = (node: GraphNode): boolean =>
    schemas.schema.typeOf(node).hasTrait('Folder') && node.properties['hidden'] !== true;
  return graph.read(async (tx) => {
    const { idPattern } = write();
    const chain = await tree.find(tx, path, idPattern);
    const folder = chain?.at(-1);
    if (chain !== undefined && folder !== undefined) {
      const seen = isFolder(folder) && (await readable(tx, access, chain)).length === chain.length;
      return seen ? folder : undefined;
    }
    const id = path.slice(1);
    const node = idPattern.test(id) ? await tx.node(id) : undefined;
    if (node === undefined || !isFolder(node)) return undefined;
    return (await readable(tx, access, [node]))[0];
  });
}

/** The files and folders with these UUIDs. Throws `FilesError` 404 when a file is not shown, or a folder may not be read. */
async function chosenBy(context: FilesContext, list: string, reader: Reader): Promise<GraphNode[]> {
  const ids = [...new Set(list.split(',').map((id) => id.trim()))].filter((id) => id !== '');
  return nodesOf(context, ids, reader);
}

/** Files and folders by UUID. Throws `FilesError` 404 when one may not be read, and 422 for too many or none. */
export async function nodesOf(
  { graph, schemas, write }: FilesContext,
  ids: readonly string[],
  reader: Reader,
): Promise<GraphNode[]> {
  if (ids.length === 0 || ids.length > MOST_CHOSEN) {
    throw new FilesError(422, `Name between one and ${String(MOST_CHOSEN)} files and folders.`);
  }
  const { idPattern } = write();
  const { read = (work) => graph.read(work) } = reader;
  return read(async (tx) => {
    const found = await tx.nodes(ids.filter((id) => idPattern.test(id)));
    const nodes = found.filter((node) => node !== undefined && schemas.schema.typeOf(node).hasTrait('AbstractFile'));
    const seen = await seenBy(tx, schemas.schema, reader, nodes as GraphNode[]);
    const missing = ids.find((id) => !seen.some((node) => node.id === id));
    if (missing !== undefined) throw new FilesError(404, `No file or folder with UUID ${missing.slice(0, 40)} found.`);
    return [...seen];
  });
}
