/**
 * Parts of an application whose types this version does not have: scratchpads, data adapters, settings of components, processes, further modules. Nothing of
 * them is used; their files are kept as they came, and come out again so (docs/interface/deployment.md 2.8).
 */
import type { GraphNode } from '../../../graph/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { DeploymentError } from '../../common/errors.js';
import type { ExportSource } from '../../tree/source.js';
import { fileNamed } from '../../tree/target.js';
import { typeNamed } from '../list-section.js';
import { allOf, type Section } from '../section.js';

const TYPE = 'DeployedPart';
const MODULES = 'modules';
const FOLDER = 'scratchpads';
/** Lists that are there even when nothing is in them. */
const LISTS = [
  'scratchpads.json',
  'data-adapters.json',
  'component-configurations.json',
  'modules/process/bpmn-deployment.json',
];
/** Modules with sections of their own. */
const KNOWN: ReadonlySet<string> = new Set(['flows', 'messaging-module', 'api-builder']);
const EMPTY = '[]';

const MB = 1024 * 1024;
const MOST_BYTES = 16 * MB;
const MOST_OF_ALL = 64 * MB;
const MOST_FILES = 10_000;
const DEEPEST = 16;

/** One file of an export, as it is kept. */
interface Part {
  readonly path: string;
  readonly content: string;
  readonly isBinary: boolean;
}

/** What is replaced together, by the path of one of its files; undefined: it is no file of this section. */
function groupOf(path: string): string | undefined {
  const [first = '', second = '', ...rest] = path.split('/');
  if (first === MODULES) return rest.length === 0 || KNOWN.has(second) ? undefined : `${first}/${second}`;
  if (first === FOLDER) return second === '' ? undefined : `${FOLDER}.json`;
  return LISTS.includes(path) ? path : undefined;
}

export const kept: Section = {
  title: 'Other Parts',
  write: async ({ tx, schema, out }) => {
    const parts = new Map<string, GraphNode>();
    for (const node of await allOf(tx, schema, TYPE)) {
      const path = textIn(node, 'path');
      if (groupOf(path) === undefined) continue;
      for (const name of path.split('/')) fileNamed(name, 'The file');
      parts.set(path, node);
    }
    const paths = [...new Set([...LISTS, ...parts.keys()])].sort();
    const folders = [...new Set(paths.map((path) => groupOf(path) ?? ''))].filter((one) => one.startsWith(MODULES));
    for (const folder of [FOLDER, ...folders]) await out.keepOnly(folder, paths);
    for (const path of paths) {
      const node = parts.get(path);
      if (node === undefined) await out.text(path, EMPTY);
      else if (node.properties['isBinary'] === true)
        await out.bytes(path, [Buffer.from(textIn(node, 'content'), 'base64')]);
      else await out.text(path, textIn(node, 'content'));
    }
  },
  read: async ({ source }) => {
    const found = await partsIn(source);
    if (found.groups.size === 0 && !found.hasModules) return undefined;
    return {
      remove: async ({ objects }) => {
        for (const node of await allOf(objects.tx, objects.schema, TYPE)) {
          const group = groupOf(textIn(node, 'path'));
          const isReplaced = group === undefined || found.groups.has(group);
          if (isReplaced || (found.hasModules && group.startsWith(MODULES))) await objects.delete(node);
        }
      },
      create: async ({ objects }) => {
        const type = typeNamed(objects, TYPE);
        for (const { path, content, isBinary } of found.parts) {
          const values: JsonObject = { path, content, ...(isBinary ? { isBinary } : {}) };
          await objects.create(type, values);
        }
      },
    };
  },
};

function textIn({ properties }: GraphNode, key: string): string {
  const value = properties[key];
  return typeof value === 'string' ? value : '';
}

interface Found {
  readonly parts: readonly Part[];
  /** Whether they hold something or not. */
  readonly groups: ReadonlySet<string>;
  /** The export says which modules there are. */
  readonly hasModules: boolean;
}

/** Throws `DeploymentError` that names the file. */
async function partsIn(source: ExportSource): Promise<Found> {
  const parts: Part[] = [];
  const groups = new Set<string>();
  let bytes = 0;
  const add = async (path: string): Promise<void> => {
    const group = groupOf(path);
    const content = group === undefined ? undefined : await contentOf(source, path);
    if (group === undefined || content === undefined) return;
    groups.add(group);
    bytes += content.length;
    if (bytes > MOST_OF_ALL || parts.length >= MOST_FILES)
      throw new DeploymentError(
        `${path}: files that this version only keeps have at most ${String(MOST_OF_ALL / MB)} MB together, and there are at most ${String(MOST_FILES)} of them.`,
      );
    if (LISTS.includes(path)) await mustBeList(source, path);
    const text = textOf(content);
    if (LISTS.includes(path) && text?.trim() === EMPTY) return;
    parts.push({ path, content: text ?? content.toString('base64'), isBinary: text === undefined });
  };
  const walk = async (folder: string, depth: number): Promise<void> => {
    for (const { name, isFolder } of (await source.list(folder)) ?? []) {
      const path = `${folder}/${name}`;
      if (folder === MODULES && KNOWN.has(name)) continue;
      if (!isFolder) await add(path);
      else if (depth < DEEPEST) await walk(path, depth + 1);
      else throw new DeploymentError(`${path}: folders lie more than ${String(DEEPEST)} levels deep.`);
    }
  };
  for (const path of LISTS) if (!path.startsWith(MODULES)) await add(path);
  await walk(FOLDER, 1);
  await walk(MODULES, 1);
  const modules = (await source.list(MODULES)) ?? [];
  return { parts, groups, hasModules: modules.some(({ isFolder }) => isFolder) };
}

/** Undefined: there is no such file. Throws `DeploymentError` for one that is too large. */
async function contentOf(source: ExportSource, path: string): Promise<Buffer | undefined> {
  const file = await source.open(path);
  if (file === undefined) return undefined;
  try {
    if (file.size > MOST_BYTES)
      throw new DeploymentError(`${path}: the file is larger than ${String(MOST_BYTES / MB)} MB.`);
    return await file.handle.readFile();
  } finally {
    await file.handle.close();
  }
}

function textOf(content: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** A list of objects, or an object: nothing else is known of it. */
async function mustBeList(source: ExportSource, path: string): Promise<void> {
  const value = await source.json(path);
  if (Array.isArray(value)) await source.entries(path);
  else if (value === null || typeof value !== 'object') throw new DeploymentError(`${path}: a list is expected here.`);
}
