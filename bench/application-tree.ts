/** An application export for the bench, and what copying its files takes. */
import { copyFile, mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDERS = 20;
/** Elements in the body of a page, and bytes of a file. */
const ROWS = 20;
const FILE_BYTES = 10_000;

export interface ApplicationSize {
  readonly types: number;
  readonly pages: number;
  readonly files: number;
}

const id = (kind: string, n: number): string => kind + n.toString(16).padStart(31, '0');
const visible = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

/** Writes an export in the layout of docs/interface/deployment.md 2: types with five properties, pages of some 60 nodes, text files. */
export async function writeApplication(root: string, { types, pages, files }: ApplicationSize): Promise<void> {
  for (const folder of ['schema', 'pages', 'components', 'templates', 'files'])
    await mkdir(join(root, folder), { recursive: true });
  const json = (path: string, value: unknown): Promise<void> => writeFile(join(root, path), JSON.stringify(value));
  const properties = {
    ...{ title: { type: 'string' }, rank: { type: 'integer' }, note: { type: 'string' } },
    ...{ active: { type: 'boolean' }, code: { type: 'string' } },
  };
  const names = Array.from({ length: types }, (_, i) => `Type${String(i)}`);
  const definitions = Object.fromEntries(names.map((name) => [name, { type: 'object', properties }]));
  await json('schema/schema.json', { definitions, methods: [] });
  const entries: Record<string, object> = {};
  for (let i = 0; i < pages; i++) {
    const name = `page${String(i)}`;
    entries[name] = { id: id('c', i), contentType: 'text/html', ...visible };
    await writeFile(join(root, `pages/${name}.html`), pageText(name));
  }
  await json('pages.json', entries);
  await json('components.json', {});
  await json('templates.json', {});
  await json('files.json', await writeFiles(root, files));
}

function pageText(name: string): string {
  const row = (i: number): string =>
    `<div class="row r${String(i)}"><span title="t">text of row ${String(i)}</span></div>\n`;
  const body = Array.from({ length: ROWS }, (_, i) => row(i)).join('');
  const head = `<head>\n<title>${name}</title>\n</head>`;
  return `<!DOCTYPE html>\n<html lang="en">\n${head}\n<body>\n<h1>${name}</h1>\n${body}</body>\n</html>\n`;
}

async function writeFiles(root: string, count: number): Promise<Record<string, object>> {
  const entries: Record<string, object> = {};
  for (let i = 0; i < FOLDERS; i++) {
    const path = `/folder${String(i)}`;
    entries[path] = { id: id('d', i), type: 'Folder', includeInFrontendExport: true, ...visible };
    await mkdir(join(root, `files${path}`));
  }
  for (let i = 0; i < count; i++) {
    const path = `/folder${String(i % FOLDERS)}/file${String(i)}.txt`;
    entries[path] = { id: id('e', i), type: 'File', contentType: 'text/plain', isTemplate: false, ...visible };
    await writeFile(join(root, `files${path}`), Buffer.alloc(FILE_BYTES, `file ${String(i)} `));
  }
  return entries;
}

/** Copies all files one after the other, each of them synced; answers seconds. The copies are gone afterwards. */
export async function copySynced(from: string, to: string): Promise<number> {
  const begin = performance.now();
  await copyFolder(from, to);
  const seconds = (performance.now() - begin) / 1000;
  await rm(to, { recursive: true });
  return seconds;
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await copyFolder(source, target);
      continue;
    }
    await copyFile(source, target);
    const handle = await open(target, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
