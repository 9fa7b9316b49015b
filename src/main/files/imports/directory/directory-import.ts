/** Files of the server become files of the tree (contract, Admin Console: file-import; docs/interface/imports.md 3.3). */
import { unlink, stat } from 'node:fs/promises';
import { newId } from '../../../graph/index.js';
import type { Actor } from '../../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { together } from '../../../../shared/together.js';
import type { ChecksumName } from '../../content/checksums.js';
import { detectContentType } from '../../content/content-type.js';
import type { Received } from '../../content/received.js';
import type { FilesContext } from '../../context.js';
import { FilesError } from '../../errors.js';
import type { Job, JobControl } from '../../jobs/job.js';
import { rightsNow } from '../../jobs/rights.js';
import { codeOf, filesOf, sourceOf, type Found, type Source } from './directory-walk.js';
import { adminsOnly, Placement, type Existing, type Stored, type There } from './directory-placement.js';
import { flag, textIn } from '../parameters.js';
import { ImportRoots, type SourceFile } from '../../server-folders/roots.js';

/** Files of one transaction. */
const BATCH = 50;
/** Files that are copied at the same time. */
const AT_ONCE = 4;
/** Bytes read at once. */
const PIECE = 256 * 1024;

type Mode = 'copy' | 'move';

interface Settings {
  readonly source: Source;
  readonly target: string;
  readonly mode: Mode;
  readonly existing: Existing;
  readonly index: boolean;
}

/** A file of the server that is stored, and not yet in the tree. */
interface Arrived extends Stored {
  readonly from: SourceFile;
}

/** Begins an import, of administrators alone; the job. Throws `FilesError` for parameters that make no sense. */
export async function startDirectoryImport(context: FilesContext, asked: Actor, input: JsonObject): Promise<Job> {
  adminsOnly(asked);
  const { config } = context;
  const roots = await ImportRoots.of(config);
  const { actor } = await rightsNow(context, asked);
  const text = textIn(given(input, 'source', '', 422), 'source');
  const settings: Settings = {
    source: await sourceOf(text, config.path('base.path'), roots),
    target: textIn(given(input, 'target', '/', 422), 'target'),
    mode: word(input, 'mode', ['copy', 'move']),
    existing: word(input, 'existing', ['skip', 'overwrite', 'rename']),
    index: input['index'] === undefined || input['index'] === null ? true : flag(input, 'index'),
  };
  const placement = new Placement(context, settings);
  // What is wrong with the target is told at once.
  await context.graph.read((tx) => placement.target(tx));
  return context.jobs.submit({
    jobtype: 'DIRECT_IMPORT',
    actor,
    file: { path: text },
    run: (job) => importFiles(context, actor, settings, placement, job),
  });
}

/** Text that was sent, as it is; a wrong kind of value is the error that facts name for values that make no sense. */
function given(input: JsonObject, key: string, absent: string, status: number): string {
  const value = input[key] ?? absent;
  if (typeof value === 'string' && value !== '') return value;
  throw new FilesError(status, `The parameter "${key}" must be text.`);
}

/** One of some words, in any case; the first one when nothing was sent. Throws `FilesError` 422. */
function word<W extends string>(input: JsonObject, key: string, words: readonly [W, ...W[]]): W {
  const value = input[key] ?? words[0];
  const found = words.find((one) => typeof value === 'string' && one === value.toLowerCase());
  if (found === undefined) throw new FilesError(422, `The parameter "${key}" must be one of ${words.join(', ')}.`);
  return found;
}

/** What an import came to. */
class Tally {
  readonly counts = { created: 0, overwritten: 0, renamed: 0, skipped: 0, failed: 0, moved: 0, bytes: 0 };

  result(): JsonValue {
    return { ...this.counts };
  }
}

async function importFiles(
  context: FilesContext,
  asked: Actor,
  settings: Settings,
  placement: Placement,
  job: JobControl,
): Promise<JsonValue> {
  const roots = await ImportRoots.of(context.config);
  const tally = new Tally();
  let batch: Found[] = [];
  const flush = async (): Promise<void> => {
    await job.checkpoint();
    if (batch.length > 0) await importBatch(context, asked, settings, placement, roots, batch, tally, job);
    batch = [];
  };
  for await (const found of filesOf(settings.source, roots)) {
    batch.push(found);
    if (batch.length >= BATCH) await flush();
  }
  await flush();
  return tally.result();
}

async function importBatch(
  context: FilesContext,
  asked: Actor,
  { mode }: Settings,
  placement: Placement,
  roots: ImportRoots,
  batch: readonly Found[],
  { counts }: Tally,
  job: JobControl,
): Promise<void> {
  const rights = await rightsNow(context, asked);
  adminsOnly(rights.actor);
  const before = { ...counts };
  const fail = (found: Found, why: string): void => {
    counts.failed++;
    job.problem(`${found.path}: ${why}`);
  };
  const wanted: Found[] = [];
  const known = await context.graph.read((tx) => placement.look(tx, batch));
  for (const [i, found] of batch.entries()) {
    const at = known[i];
    if (found.problem !== undefined) fail(found, found.problem);
    else if (at?.problem !== undefined) fail(found, at.problem);
    else if (at?.node !== undefined && placement.skips) counts.skipped++;
    else wanted.push(found);
  }
  const places = new Map(batch.map((found, i) => [found, known[i]]));
  const arrived: Arrived[] = [];
  let outcomes;
  try {
    await together(wanted, AT_ONCE, async (found) => {
      try {
        const one = await receive(context, roots, placement, found, places.get(found), job.signal);
        if (one === undefined) fail(found, 'it is no file, or leads out of the folders that files are imported from');
        else arrived.push(one);
      } catch (error) {
        if (job.signal.aborted) throw error;
        fail(found, error instanceof FilesError ? error.message : `it cannot be read: ${codeOf(error)}`);
      }
    });
    job.signal.throwIfAborted();
    outcomes = await placement.place(rights, arrived);
  } catch (error) {
    await Promise.all(arrived.map(({ received }) => context.contents.abandon(received)));
    throw error;
  }
  for (const [i, outcome] of outcomes.entries()) {
    const one = arrived[i];
    if (one === undefined) continue;
    if (outcome.kind === 'failed') fail(one.found, outcome.why);
    else counts[outcome.kind]++;
    if (outcome.kind === 'failed' || outcome.kind === 'skipped') {
      await context.contents.discard(one.received);
      continue;
    }
    counts.bytes += one.received.size;
    if (mode === 'move') await remove(one, counts, job);
  }
  job.chunk({
    objects: batch.length,
    created: counts.created + counts.renamed - before.created - before.renamed,
    ignored: counts.skipped + counts.failed - before.skipped - before.failed,
  });
}

/** Copies a file of the server to the storage. `there`: what is at its place, which may get the content. */
async function receive(
  { contents, write }: FilesContext,
  roots: ImportRoots,
  placement: Placement,
  found: Found,
  there: (There & { readonly checksums: readonly ChecksumName[] }) | undefined,
  signal: AbortSignal,
): Promise<Arrived | undefined> {
  const from = await roots.open(found.path);
  if (from === undefined) return undefined;
  try {
    const options = { limit: Infinity, checksums: there?.checksums ?? [] };
    const bytes = bytesOf(from, signal);
    const replaced = placement.replaces ? there?.node : undefined;
    const received: Received =
      replaced === undefined
        ? await contents.receiveNew(newId(write().compactIds), bytes, options)
        : await contents.receive(replaced, bytes, options);
    return { found, from, received, contentType: await detectContentType(found.name, '', received.head) };
  } finally {
    await from.handle.close();
  }
}

async function* bytesOf({ handle }: SourceFile, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; ;) {
    signal.throwIfAborted();
    const buffer = Buffer.allocUnsafeSlow(PIECE);
    const { bytesRead } = await handle.read(buffer, 0, PIECE, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** After the commit: removes the source, unless somebody has changed it since it was read. */
async function remove({ from, received, found }: Arrived, counts: Tally['counts'], job: JobControl): Promise<void> {
  try {
    const now = await stat(from.path);
    if (now.ino !== from.inode || now.mtimeMs !== from.modified || now.size !== received.size) {
      job.problem(`${found.path}: it changed while it was imported, and was not removed`);
      return;
    }
    await unlink(from.path);
    counts.moved++;
  } catch (error) {
    job.problem(`${found.path}: it was imported and cannot be removed: ${codeOf(error)}`);
  }
}
