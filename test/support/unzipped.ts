/** What is in a ZIP archive, by the eyes of others. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import yauzl from 'yauzl';

const run = promisify(execFile);

export interface Unzipped {
  readonly name: string;
  readonly bytes: Buffer;
  readonly method: number;
  readonly modified: number;
}

/** All entries, read by yauzl, which checks sizes; in the archive's order. */
export async function unzipped(archive: Buffer): Promise<Unzipped[]> {
  const file = await new Promise<yauzl.ZipFile>((resolve, reject) => {
    yauzl.fromBuffer(archive, { lazyEntries: true, validateEntrySizes: true }, (error, opened) => {
      if (error === null) resolve(opened);
      else reject(error);
    });
  });
  const entries: Unzipped[] = [];
  await new Promise<void>((resolve, reject) => {
    file.on('error', reject);
    file.on('end', resolve);
    file.on('entry', (entry: yauzl.Entry) => {
      file.openReadStream(entry, (error, stream) => {
        if (error !== null) {
          reject(error);
          return;
        }
        const chunks: Buffer[] = [];
        stream.on('error', reject);
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          entries.push({
            name: entry.fileName,
            bytes: Buffer.concat(chunks),
            method: entry.compressionMethod,
            modified: entry.getLastModDate().getTime(),
          });
          file.readEntry();
        });
      });
    });
    file.readEntry();
  });
  return entries;
}

const PYTHON = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    bad = z.testzip()
    print(len(z.infolist()) if bad is None else 'bad: ' + bad)
`;

/** Has every tool that is installed check the archive; returns what python counts. Throws what they complain about. */
export async function checkedByTools(archive: Buffer): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-zip-'));
  const path = join(folder, 'archive.zip');
  try {
    await writeFile(path, archive);
    await tool('zip', ['-T', path]);
    await tool('unzip', ['-tqq', path]);
    await tool('7z', ['t', path]);
    const counted = await tool('python3', ['-c', PYTHON, path]);
    if (counted?.startsWith('bad') === true) throw new Error(counted);
    return counted === undefined ? undefined : Number(counted);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function tool(name: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await run(name, args)).stdout.trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
