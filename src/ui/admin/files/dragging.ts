/** What is dragged: files and folders of the desktop, or things of the list. */

/** A file with the folders that it lies in, from where it was dropped on. */
export interface Brought {
  readonly file: File;
  readonly folders: readonly string[];
}

/** What somebody has brought. */
export interface Bringing {
  readonly files: readonly Brought[];
  /** Folders that nothing lies in. */
  readonly empty: readonly (readonly string[])[];
}

/** What things of the list are called while they are dragged. */
const OWN = 'application/x-svc-files';

/** One thing of the list. */
export interface Dragged {
  readonly id: string;
  readonly isFolder: boolean;
}

export const isOwn = (data: DataTransfer): boolean => data.types.includes(OWN);
export const hasFiles = (data: DataTransfer): boolean => data.types.includes('Files');

export function putOwn(data: DataTransfer, dragged: readonly Dragged[]): void {
  data.setData(OWN, JSON.stringify(dragged.map(({ id, isFolder }) => ({ id, isFolder }))));
  data.effectAllowed = 'move';
}

/** Another page may have written anything. */
export function takeOwn(data: DataTransfer): readonly Dragged[] {
  try {
    const value: unknown = JSON.parse(data.getData(OWN));
    if (!Array.isArray(value)) return [];
    return value.flatMap((one: unknown) => {
      if (typeof one !== 'object' || one === null || !('id' in one) || typeof one.id !== 'string') return [];
      return /^[0-9a-f]{32}$/i.test(one.id)
        ? [{ id: one.id, isFolder: 'isFolder' in one && one.isFolder === true }]
        : [];
    });
  } catch {
    return [];
  }
}

/** Files and folders that were dropped. To be called within the event: the browser forgets them afterwards. */
export function takeFiles(data: DataTransfer): Promise<Bringing> {
  const entries: FileSystemEntry[] = [];
  const plain: File[] = [];
  for (const item of data.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    const file = entry === null ? item.getAsFile() : null;
    if (entry !== null) entries.push(entry);
    else if (file !== null) plain.push(file);
  }
  return walk(entries, plain);
}

async function walk(entries: readonly FileSystemEntry[], plain: readonly File[]): Promise<Bringing> {
  const files: Brought[] = plain.map((file) => ({ file, folders: [] }));
  const empty: (readonly string[])[] = [];
  const waiting = entries.map((entry) => ({ entry, folders: [] as readonly string[] }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { entry, folders } = next;
    if (isFile(entry)) {
      files.push({ file: await fileOf(entry), folders });
      continue;
    }
    if (!isDirectory(entry)) continue;
    const inside = [...folders, entry.name];
    const children = await childrenOf(entry);
    if (children.length === 0) empty.push(inside);
    waiting.push(...children.map((child) => ({ entry: child, folders: inside })));
  }
  return { files, empty };
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });

/** A reader tells some at a time, and none at the end. */
async function childrenOf(entry: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = entry.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<readonly FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** Files of a field, which knows of folders where a folder was chosen. */
export function filesOfField(files: FileList): Bringing {
  return {
    files: [...files].map((file) => ({ file, folders: file.webkitRelativePath.split('/').slice(0, -1) })),
    empty: [],
  };
}
