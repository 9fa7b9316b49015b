/** Which file a path means to whom (contract, Upload 3; docs/interface/files.md 5.1, 5.2). */
import { allowsItself, type GraphNode, type ReadTransaction } from '../../graph/index.js';
import { HttpError, unescaped } from '../../http/index.js';
import { readable, shownRule, type ObjectAccess, type Schema } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import type { Chain } from './tree.js';

const OWN = '/svc';
const LONG_FORM = `${OWN}/html/`;

/**
 * The path in the tree that the path of a request means: `/svc/html/` is the long form of all of them, and what else begins
 * with `/svc` is the service's own (undefined). Throws `HttpError` 400 for what is no path.
 */
export function decodedPath(path: string): string | undefined {
  const decoded = unescaped(path);
  if (decoded.includes('\0')) throw new HttpError(400, 'The path has a character that no path has.');
  if (path.startsWith(LONG_FORM)) return decoded.slice(LONG_FORM.length - 1);
  return decoded === OWN || decoded.startsWith(`${OWN}/`) ? undefined : decoded;
}

/** A file, and the folders above it unless it was found by its id. */
export interface Located {
  readonly path: string;
  readonly file: GraphNode;
  readonly chain: Chain;
}

/** Paths a request may mean, in their order: names may hold what looks like a query. */
export function pathsOf(path: string, query: string): readonly string[] {
  return query === '' ? [path] : [`${path}?${query}`, path];
}

/** What is known without asking the graph; undefined: it has to be asked; null: there is nothing. */
export function locateNow(context: FilesContext, schema: Schema, paths: readonly string[]): Located | null | undefined {
  for (const path of paths) {
    const chain = context.tree.known(path);
    if (chain === undefined) return undefined;
    const located = chain === null ? undefined : fileAt(schema, path, chain);
    if (located !== undefined) return located;
  }
  return null;
}

/**
 * Whether the file is shown, and the folders above it may be read, as far as the objects themselves tell; undefined: the graph has to be
 * asked. A file is shown by the rule of pages: what is for the public alone is not for users.
 */
export function mayReadNow(access: ObjectAccess, { file, chain }: Located): boolean | undefined {
  const rule = access.rule('read');
  const shown = shownRule(access);
  if (rule === undefined || shown === undefined) return true;
  if (chain.every((node) => allowsItself(node, node === file ? shown : rule))) return true;
  return rule.principals.length === 0 && rule.propagation === undefined ? false : undefined;
}

/** The files that these paths mean, whoever may see them. */
export async function locate(
  context: FilesContext,
  tx: ReadTransaction,
  schema: Schema,
  paths: readonly string[],
): Promise<readonly Located[]> {
  const all: Located[] = [];
  for (const path of paths) {
    const chain = await context.tree.find(tx, path, context.write().idPattern);
    const located = chain === undefined ? undefined : fileAt(schema, path, chain);
    if (located !== undefined) all.push(located);
  }
  return all;
}

/** Whether the file is shown and all folders on the way to it may be read. */
export async function mayRead(tx: ReadTransaction, access: ObjectAccess, { file, chain }: Located): Promise<boolean> {
  const shown = shownRule(access);
  if (shown === undefined) return true;
  if ((await tx.permitted([file], shown))[0] !== true) return false;
  const folders = chain.slice(0, -1);
  return (await readable(tx, access, folders)).length === folders.length;
}

/** Those of some files that are shown, and of some folders that may be read, in their order. */
export async function shownOf(
  tx: ReadTransaction,
  schema: Schema,
  access: ObjectAccess,
  nodes: readonly GraphNode[],
): Promise<readonly GraphNode[]> {
  const seen = await readable(tx, access, nodes);
  const rule = shownRule(access);
  if (rule === undefined) return seen;
  const files = seen.filter((node) => schema.typeOf(node).hasTrait('File'));
  const shown = await tx.permitted(files, rule);
  const refused = new Set(files.filter((_, i) => shown[i] !== true));
  return seen.filter((node) => !refused.has(node));
}

function fileAt(schema: Schema, path: string, chain: Chain): Located | undefined {
  const file = chain.at(-1);
  if (file === undefined || file.properties['hidden'] === true) return undefined;
  return schema.typeOf(file).hasTrait('File') ? { path, file, chain } : undefined;
}
