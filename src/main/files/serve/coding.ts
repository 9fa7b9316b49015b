/**
 * In which coding content is sent: as it is stored, compressed on its way, or from a file beside it that holds it
 * compressed already (`name.br`, `name.gz`).
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { GraphNode, ReadTransaction } from '../../graph/index.js';
import { acceptsCoding } from '../../http/index.js';
import type { ObjectAccess } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import { shownOf } from '../tree/locate.js';
import { makeState, type FileState } from './file-state.js';

const compress = promisify(gzip);

/** In the order they are preferred in. */
const BESIDE = [
  { coding: 'br', extension: '.br' },
  { coding: 'gzip', extension: '.gz' },
] as const;

/** Values of `Accept-Encoding` whose meaning is kept; browsers send a handful. */
const MOST_KNOWN = 100;

/** What a client takes. */
export interface Accepted {
  readonly gzip: boolean;
  readonly br: boolean;
}

const NOTHING: Accepted = { gzip: false, br: false };
const known = new Map<string, Accepted>();

/** What a value of `Accept-Encoding` means. */
export function acceptedCodings(header: string): Accepted {
  if (header === '') return NOTHING;
  let accepted = known.get(header);
  if (accepted === undefined) {
    accepted = { gzip: acceptsCoding(header, 'gzip'), br: acceptsCoding(header, 'br') };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(header, accepted);
  }
  return accepted;
}

/** Small content compressed once and kept, so better than what is compressed for each. */
export function packed(content: Buffer): Promise<Buffer> {
  return compress(content);
}

const made = new WeakMap<GraphNode, { readonly of: GraphNode; readonly state: FileState }>();

/** Whether to look for files with the compressed content of this one. */
export function mayHaveBeside({ config }: FilesContext, state: FileState, { gzip, br }: Accepted): boolean {
  return state.compressible && (gzip || br) && config.get('application.filesystem.precompressed');
}

/**
 * The state of the file beside `file` that holds its content in a coding the client takes: readable by whom it is sent to,
 * not older, and written by an administrator, since others may write to the same folder. Undefined: there is none.
 */
export async function beside(
  { schemas, tree }: FilesContext,
  tx: ReadTransaction,
  access: ObjectAccess,
  file: GraphNode,
  path: string,
  accepted: Accepted,
): Promise<FileState | undefined> {
  for (const { coding, extension } of BESIDE) {
    if (!accepted[coding]) continue;
    const stored = (tree.known(path + extension) ?? (await tree.find(tx, path + extension)))?.at(-1);
    if (stored === undefined || !schemas.schema.typeOf(stored).hasTrait('File')) continue;
    const { hidden, isTemplate, sandboxed, enableBasicAuth } = stored.properties;
    if ([hidden, isTemplate, sandboxed, enableBasicAuth].includes(true) || writtenAt(stored) < writtenAt(file))
      continue;
    if ((await shownOf(tx, schemas.schema, access, [stored])).length === 0) continue;
    const earlier = made.get(stored);
    if (earlier?.of === file) return earlier.state;
    const state = makeState(file, stored, coding);
    made.set(stored, { of: file, state });
    return state;
  }
  return undefined;
}

/** When the content was written: what else changes about a file does not make it newer. */
function writtenAt({ properties }: GraphNode): number {
  const { fileModificationDate } = properties;
  return typeof fileModificationDate === 'number' ? fileModificationDate : 0;
}
