/** Cases 15 and 16: folders as ZIP archives. */
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from '../child.js';
import type { UploadsOrder, UploadsResult } from '../children/uploads.js';
import type { Context, Sample } from '../context.js';
import { randomNumbers } from '../dataset.js';
import { installed, timed } from '../programs.js';
import { growthResult, rateResult, type Result } from '../result.js';
import { CREDENTIALS, type ServerProcess } from '../server-process.js';
import { upload } from '../upload.js';
import { getOne } from './requests.js';

const KB = 1000;
const MB = 1_000_000;
const LEVEL = '6';
/** What the server stores as it is, told to the others, too: nobody spends time on media. */
const MEDIA = '.jpg:.png:.mp4';

interface SourceFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Files as people have them: many small, few large, of bytes about a third each of text, programs' data, and media. */
export function* mixedFiles(count: number, bytes: number): Generator<SourceFile> {
  const random = randomNumbers(15);
  const words = Array.from({ length: 4000 }, () =>
    random()
      .toString(36)
      .slice(2, 3 + Math.floor(random() * 9)),
  );
  const word = (): string => words[Math.floor(random() ** 3 * words.length)] ?? '';
  const lines = Buffer.from(
    Array.from({ length: 60_000 }, () => Array.from({ length: 12 }, word).join(' ')).join('\n'),
  );
  const noise = Buffer.from(Uint8Array.from({ length: 8 * MB }, () => random() * 256));
  // Numbers of a few digits in fixed places: what databases and programs leave in files.
  const data = Buffer.alloc(8 * MB);
  for (let at = 0; at + 8 < data.length; at += 8) data.writeDoubleLE(Math.round(random() * 1000) / 8, at);
  const sizes = Array.from({ length: count }, () => Math.exp(random() * 7));
  const unit = bytes / sizes.reduce((sum, size) => sum + size, 0);
  const kinds = [
    { source: lines, begins: '', names: ['txt', 'html', 'json', 'log'] },
    { source: data, begins: '', names: ['bin', 'dat'] },
    { source: noise, begins: 'ffd8ffe000104a46494600', names: ['jpg'] },
  ];
  for (const [i, size] of sizes.entries()) {
    const { source, begins, names } = kinds[i % kinds.length] ?? { source: lines, begins: '', names: [] };
    const length = Math.min(source.length, Math.max(100, Math.round(size * unit)));
    const from = Math.floor(random() * (source.length - length));
    const content = Buffer.concat([Buffer.from(begins, 'hex'), source.subarray(from, from + length)]);
    yield { name: `file-${String(i)}.${names[i % names.length] ?? 'bin'}`, bytes: content };
  }
}

/** The same files in the tree and in a folder of the disk; the UUID of the folder in the tree. */
async function load(context: Context, server: ServerProcess, folder: string, bytes: number): Promise<string> {
  const files = context.options.quick ? 200 : 2000;
  await mkdir(folder, { recursive: true });
  const { result } = await server.request('POST', '/Folder', { name: `zip-${String(bytes)}` });
  const parent = (result as string[])[0] ?? '';
  const source = mixedFiles(files, bytes);
  const work = async (): Promise<void> => {
    for (const { name, bytes: content } of source) {
      await upload(server, name, new Blob([new Uint8Array(content)]), { parent });
      await writeFile(join(folder, name), content);
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return parent;
}

/** Has curl write the archive of a folder to a file. */
function fetchZip(server: ServerProcess, folder: string, to: string, cwd: string): Promise<number> {
  const headers = Object.entries(CREDENTIALS).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  return timed('curl', ['-s', '-S', '-f', ...headers, '-o', to, `${server.url}/${folder}?_zip`], cwd);
}

export async function zipFolder(context: Context): Promise<Result[]> {
  const bytes = (context.options.quick ? 20 : 500) * MB;
  if (!installed('curl')) {
    context.say('  left out: curl is not installed');
    return [];
  }
  const server = await context.fileServer();
  const folder = join(context.folder, 'zip-source');
  const parent = await load(context, server, folder, bytes);
  const rivals: [name: string, args: readonly string[]][] = [
    ['zip', ['-q', '-r', `-${LEVEL}`, '-n', MEDIA, 'rival.zip', 'zip-source']],
    ['7z', ['a', '-tzip', '-mx=5', '-mmt=on', '-bso0', '-bsp0', 'rival.zip', 'zip-source']],
  ];
  const results: Result[] = [];
  const target = (name: string): string => join(context.folder, name);
  await fetchZip(server, parent, 'svc.zip', context.folder);
  for (const [name, args] of rivals) {
    if (!installed(name)) {
      context.say(`  left out: ${name} is not installed`);
      continue;
    }
    const sides = await context.compare(
      async (): Promise<Sample> => {
        await rm(target('rival.zip'), { force: true });
        return { value: bytes / MB / (await timed(name, args, context.folder)) };
      },
      async (): Promise<Sample> => {
        await rm(target('svc.zip'), { force: true });
        return { value: bytes / MB / (await fetchZip(server, parent, 'svc.zip', context.folder)) };
      },
    );
    const sizes = await Promise.all(['rival.zip', 'svc.zip'].map(async (file) => (await stat(target(file))).size / MB));
    const note = `archives of ${sizes.map((size) => `${size.toFixed(1)} MB`).join(' and ')}`;
    const title = `ZIP of ${context.options.quick ? '200' : '2,000'} mixed files, ${String(bytes / MB)} MB`;
    const baselineTitle = name === 'zip' ? `zip -r -${LEVEL}` : '7z a -tzip -mx=5, all cores';
    results.push(rateResult({ case: 15, title, unit: 'MB/s', baselineTitle, note }, sides, 1));
  }
  return results;
}

const UPLOADS = 32;
const ARCHIVES = 4;

export async function tailBesideAll(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  const server = await context.server(dataset);
  const reading = getOne(dataset);
  const parent = await load(
    context,
    server,
    join(context.folder, 'zip-beside'),
    (context.options.quick ? 10 : 100) * MB,
  );
  const read = async (): Promise<Sample> => ({ value: (await context.load(server, reading)).result.p99 });
  await context.warm(server, reading);
  let archives = 0;
  let uploaded = 0;
  const sides = await context.compare(read, async () => {
    // Long enough for the other's preparations, too.
    const seconds = context.options.seconds + 5;
    const end = performance.now() + seconds * 1000;
    const zipping = async (): Promise<void> => {
      while (performance.now() < end) {
        await fetchZip(server, parent, '/dev/null', context.folder);
        archives++;
      }
    };
    const uploads = new Child<UploadsOrder, UploadsResult>('uploads');
    try {
      const [result, sample] = await Promise.all([
        uploads.call({ port: server.port, headers: CREDENTIALS, size: 100 * KB, seconds, connections: UPLOADS }),
        new Promise((resolve) => setTimeout(resolve, 1000)).then(read),
        ...Array.from({ length: ARCHIVES }, zipping),
      ]);
      uploaded = result.files / result.seconds;
      return sample;
    } finally {
      await uploads.end();
    }
  });
  const note = `${String(archives)} archives in all, ${Math.round(uploaded).toLocaleString('en')} uploads/s meanwhile`;
  const title = `p99 of GET one object, ${String(UPLOADS)} uploads and ${String(ARCHIVES)} ZIPs`;
  return [growthResult({ case: 16, title, unit: 'ms', baselineTitle: 'nobody else', note }, sides, 4)];
}
