/** Where an import comes from: a directory of the server, an archive there, or the address of one (docs/interface/deployment.md 3.1). */
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import type { Config } from '../../config/index.js';
import { extractToDirectory } from '../../files/index.js';
import { download, shownUrl, urlOf } from '../../scripting/index.js';
import { DeploymentError, NotStarted } from '../common/errors.js';
import { placeOf } from './places.js';
import { ExportSource, ifMissing } from './source.js';
import { withTemporary } from './temporary.js';

const MB = 1024 * 1024;

export interface Arriving {
  readonly config: Config;
  /** An absolute path, or a URL. */
  readonly from: string;
  /** Folder of the archive that the export is in; empty: the one at its top. */
  readonly within: string;
  /** Title of a refusal. */
  readonly title: string;
  readonly signal: AbortSignal;
}

/** Runs `work` with the files of an export; what had to be unpacked for that goes at its end. Throws `NotStarted`, `DeploymentError`, `FilesError`, `ScriptError`. */
export async function withSource<T>(arriving: Arriving, work: (source: ExportSource) => Promise<T>): Promise<T> {
  const { config, from, title, signal } = arriving;
  if (/^https?:\/\//i.test(from)) {
    return withTemporary(async (directory) => {
      const archive = join(directory, 'archive.zip');
      await fetchTo(config, from, archive, signal);
      return unpacked(arriving, archive, directory, work);
    });
  }
  const place = await placeOf(config, from);
  const facts = await stat(place).catch(ifMissing);
  if (facts === undefined) throw new NotStarted(title, `The source directory ${from} does not exist.`);
  if (facts.isFile() && /\.zip$/i.test(place))
    return withTemporary((directory) => unpacked(arriving, place, directory, work));
  if (!facts.isDirectory())
    throw new NotStarted(title, `The source ${from} is neither a directory nor a ZIP archive (.zip).`);
  return work(await ExportSource.exactlyAt(place));
}

/** What is told of a source: no credentials of its address. Throws `DeploymentError` for one that could never be a source. */
export async function checkSource(config: Config, from: string): Promise<string> {
  if (/^https?:\/\//i.test(from)) return shownUrl(urlOf(from));
  await placeOf(config, from);
  return from;
}

async function unpacked<T>(
  { config, within, signal }: Arriving,
  archive: string,
  beside: string,
  work: (source: ExportSource) => Promise<T>,
): Promise<T> {
  const directory = join(beside, 'unpacked');
  await mkdir(directory);
  await extractToDirectory(config, archive, directory, signal);
  return work(await ExportSource.at(join(directory, await folderIn(directory, within))));
}

/** The folder of an archive that the export is in. */
async function folderIn(directory: string, within: string): Promise<string> {
  if (within === '') {
    const [top, ...others] = await readdir(directory, { withFileTypes: true });
    if (top?.isDirectory() === true && others.length === 0) return top.name;
    throw new DeploymentError(
      'The archive has not exactly one folder at its top; zipContentPath says where the export is.',
    );
  }
  const inner = normalize(within);
  if (isAbsolute(inner) || inner.split('/').includes('..'))
    throw new DeploymentError('zipContentPath leads out of the archive.');
  const facts = await stat(join(directory, inner)).catch(ifMissing);
  if (facts?.isDirectory() !== true) throw new DeploymentError('zipContentPath is no folder of the archive.');
  return inner;
}

async function fetchTo(config: Config, address: string, path: string, signal: AbortSignal): Promise<void> {
  const call = {
    method: 'GET',
    url: urlOf(address),
    headers: new Map<string, string>(),
    body: undefined,
    credentials: undefined,
    followsRedirects: true,
    connectTime: undefined,
    checksCertificates: true,
    most: config.get('uploadservlet.maxfilesize') * MB,
  };
  await download(call, config, signal, async (bytes) => {
    const handle = await open(path, 'w');
    try {
      for await (const piece of bytes) await handle.write(piece);
    } finally {
      await handle.close();
    }
  });
}
