/** Files and folders, as the server has them (docs/interface/files.md). */
import { RefusedError, send } from '../../common/request.js';
import { change, create, list, remove, type Entity } from '../server/rest.js';
import { onlyOver, saveValues } from '../server/save-over.js';

/** A file or folder as a list shows it. */
export interface Entry {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly isFolder: boolean;
  /** Of files, bytes. */
  readonly size: number | undefined;
  readonly contentType: string;
  readonly changed: string | undefined;
  /** Where it lies, when that was asked for. */
  readonly path: string | undefined;
}

/** The properties that an `Entry` is made of. */
export const ENTRY_KEYS = ['id', 'type', 'name', 'size', 'contentType', 'lastModifiedDate', 'isFolder'];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export function entryOf(entity: Entity): Entry {
  const { id, type, name, size, contentType, lastModifiedDate, isFolder, path } = entity as Entity &
    Readonly<Record<string, unknown>>;
  return {
    id,
    type,
    name: textOf(name),
    isFolder: isFolder === true,
    size: typeof size === 'number' ? size : undefined,
    contentType: textOf(contentType),
    changed: typeof lastModifiedDate === 'string' ? lastModifiedDate : undefined,
    path: typeof path === 'string' ? path : undefined,
  };
}

/** What narrows a list down to one folder; undefined: what lies at the root. */
export const within = (folder: string | undefined): Readonly<Record<string, string>> =>
  folder === undefined ? { hasParent: 'false' } : { parent: folder };

/** How many folders a branch of the tree shows. */
const BRANCH = 500;

/** The folders in a folder, and whether there are more than are returned. */
export async function foldersIn(
  folder: string | undefined,
): Promise<{ readonly folders: readonly Entry[]; readonly more: boolean }> {
  const { result } = await list(
    'Folder',
    { ...within(folder), _sort: 'name', _pageSize: BRANCH + 1, _page: 1 },
    { properties: ['id', 'type', 'name', 'isFolder'] },
  );
  return { folders: result.slice(0, BRANCH).map(entryOf), more: result.length > BRANCH };
}

/** A folder and those above it, the uppermost first; as far as they may be read. */
export async function wayTo(folder: string): Promise<readonly Entry[]> {
  const way: Entry[] = [];
  const seen = new Set<string>();
  for (let id: string | undefined = folder; id !== undefined && !seen.has(id);) {
    seen.add(id);
    const found: readonly Entity[] = (
      await list('Folder', { id }, { properties: ['id', 'type', 'name', 'isFolder', 'path', 'parentId'] })
    ).result;
    const [entity] = found;
    if (entity === undefined) break;
    way.unshift(entryOf(entity));
    id = typeof entity['parentId'] === 'string' ? entity['parentId'] : undefined;
  }
  return way;
}

/** Makes a folder; its id. */
export const createFolder = (name: string, folder: string | undefined): Promise<string> =>
  create('Folder', { name, parent: folder ?? null });

export const resourceOf = ({ id, isFolder }: Pick<Entry, 'id' | 'isFolder'>): string =>
  `${isFolder ? 'Folder' : 'File'}/${id}`;

/** Gives another name, unless somebody else has done so meanwhile: then that name is returned, and nothing is changed. */
export async function rename(entry: Entry, known: string, name: string): Promise<string | undefined> {
  const { met } = await saveValues({
    path: resourceOf(entry),
    base: { name: known },
    changed: { name },
    properties: ['id', 'name'],
  });
  return met[0] === undefined ? undefined : textOf(met[0].theirs);
}

/** Puts things into a folder; undefined: to the root. */
export async function move(
  entries: readonly Pick<Entry, 'id' | 'isFolder'>[],
  folder: string | undefined,
): Promise<void> {
  for (const entry of entries) await change(resourceOf(entry), { parent: folder ?? null });
}

/** Deletes things with all that lies in them; a folder alone would leave that at the root. */
export async function removeAll(entries: readonly Entry[], onRemoved: (count: number) => void): Promise<void> {
  for (const entry of entries) await removeDeep(entry, onRemoved);
}

const REMOVED_AT_ONCE = 100;

async function removeDeep(entry: Pick<Entry, 'id' | 'isFolder'>, onRemoved: (count: number) => void): Promise<void> {
  if (entry.isFolder) {
    // The first page again and again: what was there is gone by then.
    for (const type of ['Folder', 'File'])
      for (;;) {
        const query = { parent: entry.id, _pageSize: REMOVED_AT_ONCE, _page: 1 };
        const { result } = await list(type, query, { properties: ['id'] });
        for (const { id } of result) await removeDeep({ id, isFolder: type === 'Folder' }, onRemoved);
        if (result.length < REMOVED_AT_ONCE) break;
      }
  }
  await remove(resourceOf(entry)).catch((error: unknown) => {
    // Somebody else was faster.
    if (!(error instanceof RefusedError && error.status === 404)) throw error;
  });
  onRemoved(1);
}

/** Where the content of a file is served. The page lies at `/svc/`. */
export const contentAddress = (id: string): string => `../${id}`;

/** The same of one content: another one has another address, so that the browser asks again. */
export const shownAddress = ({ id, version, lastModifiedDate }: Entity & Readonly<Record<string, unknown>>): string =>
  `${contentAddress(id)}?v=${typeof version === 'number' ? String(version) : ''}-${encodeURIComponent(textOf(lastModifiedDate))}`;

/** The same as a download under a name. */
export const downloadAddress = ({ id, name }: Pick<Entry, 'id' | 'name'>): string =>
  `../${id}?_filename=${encodeURIComponent(name)}`;

/** A folder as a ZIP archive. */
export const folderZipAddress = ({ id, name }: Pick<Entry, 'id' | 'name'>): string =>
  `../${id}?_zip&_filename=${encodeURIComponent(`${name}.zip`)}`;

/** The most things that one archive of a selection takes. */
export const MOST_IN_ZIP = 1000;

/** Some files and folders as a ZIP archive. */
export const zipAddress = (ids: readonly string[], name: string): string =>
  `../?_zip&_filename=${encodeURIComponent(`${name}.zip`)}&_ids=${ids.join(',')}`;

/** A text with the tag of its state, which a save names. */
export interface TextContent {
  readonly text: string;
  /** Empty: it has none. */
  readonly tag: string;
  /** Otherwise it is shown as Latin 1, and cannot be saved as it was. */
  readonly isUtf8: boolean;
}

/** The content of a file as text; of a template its source, where the reader may have that. */
export async function readText(id: string): Promise<TextContent> {
  const response = await send(`${contentAddress(id)}?_edit=1`, { method: 'GET', headers: { Accept: '*/*' } });
  const bytes = await response.arrayBuffer();
  // What is compressed on its way has a weak tag of the same name.
  const tag = (response.headers.get('ETag') ?? '').replace(/^W\//, '');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), tag, isUtf8: true };
  } catch {
    return { text: new TextDecoder('latin1').decode(bytes), tag, isUtf8: false };
  }
}

/** Replaces the content of a file. With the tag of what was read it is refused with 412 when somebody else has replaced it meanwhile. */
export async function writeContent(id: string, content: BodyInit, tag: string): Promise<void> {
  await send(`upload/${id}`, {
    method: 'PUT',
    body: content,
    headers: { 'Content-Type': 'application/octet-stream', ...onlyOver(tag) },
  });
}

/** A file or folder with some of its properties; undefined: it is not there, or not for who asks. */
export async function find(
  type: 'File' | 'Folder',
  id: string,
  properties: readonly string[],
): Promise<Entity | undefined> {
  const { result } = await list(type, { id }, { properties });
  return result[0];
}
