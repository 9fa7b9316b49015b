/** Files and folders: `files.json`, and the tree below `files/` (docs/interface/deployment.md 2.5). */
import type { GraphNode } from '../../../graph/index.js';
import { childAt, holdersOf, typesOf, type Holders, type Type } from '../../../schema/index.js';
import type { DeployedContent } from '../../../files/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { together } from '../../../../shared/together.js';
import { DeploymentError } from '../../common/errors.js';
import { prettyJson } from '../../tree/json-styles.js';
import { fileNamed } from '../../tree/target.js';
import { ownerAndGrantees, told, valuesWithDynamic } from '../list-section.js';
import { rightsIn, textAt, type SaidRights } from '../../tree/principal-names.js';
import type { Exporting, Importing, ReadingExport, Section, SectionWork } from '../section.js';

const FILE = 'files.json';
const ROOT = 'files';
/** Files whose contents are stored at a time. */
const AT_ONCE = 16;
const PROBLEMS = 'Encountered problems during import of files';

const OF_ALL = ['id', 'type', 'visibleToPublicUsers', 'visibleToAuthenticatedUsers', 'includeInFrontendExport'];
const OF_FILES = ['isTemplate', 'dontCache', 'contentType', 'cacheForSeconds', 'basicAuthRealm', 'enableBasicAuth'];
const OF_IMAGES = ['isThumbnail', 'isImage', 'width', 'height'];

export const files: Section = {
  title: 'Files',
  write: async (exporting) => {
    const entries: Record<string, JsonObject> = {};
    const paths: string[] = [];
    const all = await exported(exporting);
    const holders = await holdersOf(
      exporting.tx,
      all.map(({ node }) => node.id),
    );
    for (const [i, { path, node, isFolder }] of all.entries()) {
      const at = ROOT + path;
      paths.push(at);
      entries[path] = entryOf(exporting, node, holders[i]);
      if (isFolder) await exporting.out.folder(at);
      else await writeContent(exporting, at, node);
    }
    exporting.report.begin('Cleaning up files');
    await exporting.out.keepOnly(ROOT, paths);
    await exporting.out.text(FILE, prettyJson(entries));
  },
  read: async (reading) => {
    const entries = await reading.source.objects(FILE);
    return entries === undefined ? undefined : readFiles(reading, entries);
  },
};

interface Exported {
  readonly path: string;
  readonly node: GraphNode;
  readonly isFolder: boolean;
}

/** What is flagged at the root of the tree, and all below it, by path. */
async function exported({ tx, schema }: Exporting): Promise<Exported[]> {
  const types = typesOf(schema, 'AbstractFile');
  const where = {
    op: 'and',
    terms: [
      { op: 'equals', key: 'includeInFrontendExport', value: true },
      { op: 'relatedNone', step: { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'Folder') } },
    ],
  } as const;
  const all: Exported[] = [];
  let level: Exported[] = [];
  const take = (node: GraphNode, above: string): void => {
    const isFolder = schema.typeOf(node).hasTrait('Folder');
    const { name, mountTarget, isExternal } = node.properties;
    if ((typeof mountTarget === 'string' && mountTarget !== '') || isExternal === true) return;
    level.push({ path: `${above}/${fileNamed(String(name), 'The file')}`, node, isFolder });
  };
  for await (const batch of tx.stream({ kind: 'nodes', trait: 'AbstractFile', ...types, where })) {
    for (const node of batch) take(node, '');
  }
  while (level.length > 0) {
    all.push(...level);
    const open = level.filter(({ node, isFolder }) => isFolder && node.properties['excludeSubtreeFromExport'] !== true);
    level = [];
    const below = await tx.related(
      open.map(({ node }) => node.id),
      { relType: 'CONTAINS', direction: 'out', ...types },
    );
    for (const [i, nodes] of below.entries()) for (const node of nodes) take(node, open[i]?.path ?? '');
  }
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function entryOf({ schema }: Exporting, node: GraphNode, holders: Holders | undefined): JsonObject {
  const type = schema.typeOf(node);
  const keys = [...OF_ALL, ...(type.hasTrait('File') ? OF_FILES : []), ...(type.hasTrait('Image') ? OF_IMAGES : [])];
  const isExcluded = node.properties['excludeSubtreeFromExport'] === true;
  return {
    ...valuesWithDynamic(schema, node, keys),
    ...(isExcluded ? { excludeSubtreeFromExport: true } : {}),
    ...ownerAndGrantees(holders),
  };
}

/** The content as it is stored. A file of the same checksum is not written again. */
async function writeContent({ out, context }: Exporting, path: string, node: GraphNode): Promise<void> {
  const { size, checksum } = node.properties;
  const deploying = context.files.deploying();
  if (
    (await out.size(path)) === (typeof size === 'number' ? size : 0) &&
    checksum !== undefined &&
    (await deploying.checksum(out.read(path))) === checksum
  )
    return;
  await out.bytes(path, context.files.rawContentOf(node));
}

/** One file or folder of an export. */
interface Entry {
  readonly path: string;
  readonly place: string;
  readonly id: string;
  readonly type: string;
  readonly isFolder: boolean;
  readonly isTemplate: boolean;
  /** Somebody has written its content who is no administrator. */
  readonly isSandboxed: boolean;
  readonly values: JsonObject;
  readonly rights: SaidRights;
  readonly content: DeployedContent | undefined;
}

async function readFiles(reading: ReadingExport, said: ReadonlyMap<string, JsonObject>): Promise<SectionWork> {
  const { context, source, signal } = reading;
  const { graph, schemas } = context;
  const { idPattern } = context.write();
  const deploying = context.files.deploying();
  reading.afterwards(() => deploying.end());
  const unknown: string[] = [];
  const seen = new Set<string>();
  const ids = new Map<string, string>();
  const entries: Entry[] = [];
  const withContent: Entry[] = [];
  const add = (path: string, isFolder: boolean): void => {
    const properties = said.get(path);
    if (properties === undefined) return;
    seen.add(path);
    const entry = checked(path, properties, isFolder);
    // It becomes part of the place of its content.
    if (!idPattern.test(entry.id))
      throw new DeploymentError(`${entry.place}.id: ${JSON.stringify(entry.id.slice(0, 100))} is no id.`);
    const other = ids.get(entry.id);
    if (other !== undefined) throw new DeploymentError(`${entry.place} has the id of ${other}.`);
    ids.set(entry.id, path);
    if (isFolder) entries.push(entry);
    else if (properties['isThumbnail'] !== true) withContent.push(entry);
  };
  const contentOf = async ({ id, path }: Entry): Promise<DeployedContent | undefined> => {
    signal.throwIfAborted();
    const there = await graph.read((tx) => tx.node(id));
    const isFile = there !== undefined && schemas.schema.typeOf(there).hasTrait('File');
    const { checksum } = there?.properties ?? {};
    if (isFile && checksum !== undefined && (await deploying.checksum(source.bytes(ROOT + path))) === checksum)
      return undefined;
    const name = path.slice(path.lastIndexOf('/') + 1);
    return deploying.store(id, isFile ? there : undefined, name, source.bytes(ROOT + path));
  };
  const walk = async (folder: string): Promise<void> => {
    for (const { name, isFolder } of (await source.list(ROOT + folder)) ?? []) {
      signal.throwIfAborted();
      const path = `${folder}/${name}`;
      if (!said.has(path)) unknown.push(path);
      else {
        add(path, isFolder);
        if (isFolder) await walk(path);
      }
    }
  };
  await walk('');
  const absent: string[] = [];
  for (const [path, properties] of said) {
    if (seen.has(path)) continue;
    // Folders of which nothing is left where empty folders are not kept.
    if ('isTemplate' in properties) absent.push(path);
    else add(path, true);
  }
  // The disk takes several at a time nearly as fast as one.
  await together(withContent, AT_ONCE, async (entry) => {
    entries.push({ ...entry, content: await contentOf(entry) });
  });
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { create: (into) => makeAll(into, entries, { unknown, absent, deploying }) };
}

/** Throws `DeploymentError` that names the place. */
function checked(path: string, properties: JsonObject, isFolder: boolean): Entry {
  const place = `${FILE}: ${path}`;
  if (
    !path.startsWith('/') ||
    path
      .split('/')
      .slice(1)
      .some((name) => name === '' || name === '.' || name === '..')
  )
    throw new DeploymentError(`${place}: this is no path of a file.`);
  const { rights, rest } = rightsIn(properties, place);
  const { id, type, isTemplate, isImage: _computed, isThumbnail: _other, sandboxed, ...values } = rest;
  return {
    path,
    place,
    id: textAt(id, `${place}.id`),
    type: type === undefined || type === null ? (isFolder ? 'Folder' : 'File') : textAt(type, `${place}.type`),
    isFolder,
    isTemplate: isTemplate === true,
    isSandboxed: sandboxed === true,
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)),
    rights,
    content: undefined,
  };
}

interface Found {
  readonly unknown: readonly string[];
  readonly absent: readonly string[];
  readonly deploying: ReturnType<ReadingExport['context']['files']['deploying']>;
}

async function makeAll(
  into: Importing,
  entries: readonly Entry[],
  { unknown, absent, deploying }: Found,
): Promise<void> {
  const { objects, principals, report } = into;
  const folders = new Map<string, GraphNode>();
  const renamed: string[] = [];
  for (const entry of entries) {
    const cut = entry.path.lastIndexOf('/');
    const folder = folders.get(entry.path.slice(0, cut));
    const name = entry.path.slice(cut + 1);
    await told(entry, async () => {
      if (cut > 0 && folder === undefined) throw new DeploymentError(`${entry.place}: its folder is not in ${FILE}.`);
      const type = typeOf(into, entry);
      const there = await objects.tx.node(entry.id);
      if (there !== undefined && !objects.schema.typeOf(there).hasTrait(entry.isFolder ? 'Folder' : 'File'))
        throw new DeploymentError(`${entry.place}: its id is that of an object of the type ${there.type}.`);
      const { id, values, isTemplate, isSandboxed, content, rights } = entry;
      const other = await childAt(objects.tx, objects.schema, folder?.id, name);
      if (other !== undefined && other.id !== id) renamed.push(entry.path);
      const node = entry.isFolder
        ? await putFolder(into, type, { id, name, folder, values }, there)
        : await deploying.put(objects, type, { id, name, folder, values, isTemplate, isSandboxed, content });
      if (entry.isFolder) folders.set(entry.path, node);
      if (rights.owner === null) await objects.update(node, { owner: null });
      await principals.give(objects, node, rights);
    });
  }
  const lists = [
    ['in files.json, but not on the disk', absent],
    ['on the disk, but not in files.json', unknown],
    ['renamed, as there is another one at its path', renamed],
  ] as const;
  const problems = lists.flatMap(([what, paths]) => (paths.length === 0 ? [] : [`${what}: ${paths.join(', ')}`]));
  if (problems.length > 0) report.warn(PROBLEMS, problems.join('; '));
}

function typeOf({ objects }: Importing, { type, isFolder, place }: Entry): Type {
  const found = objects.schema.type(type);
  if (found?.hasTrait(isFolder ? 'Folder' : 'File') === true) return found;
  throw new DeploymentError(`${place}.type: ${type} is no type of ${isFolder ? 'folders' : 'files'}.`);
}

async function putFolder(
  { objects }: Importing,
  type: Type,
  { id, name, folder, values }: { id: string; name: string; folder: GraphNode | undefined; values: JsonObject },
  there: GraphNode | undefined,
): Promise<GraphNode> {
  const input = { ...values, name, parent: folder?.id ?? null };
  return there === undefined ? objects.create(type, { ...input, id }) : objects.update(there, input);
}
