/** Bytes of files that scripts hand to functions which send them. */
import { FilesError, type FileContent } from '../../../files/index.js';
import type { GraphNode } from '../../../graph/index.js';
import { allowed } from '../../../schema/index.js';
import type { ScriptContext } from '../run.js';
import { ScriptError } from '../../language/errors.js';
import { isOf } from '../names/lookup.js';
import type { ScriptEntity, ScriptValue } from '../../language/values.js';

/** Whether a value is a file of the tree. */
export function isFile(value: ScriptValue, context: ScriptContext): value is ScriptEntity {
  return isOf(value, 'File', context);
}

/** The file as it is now, for somebody who may read it. Throws `ScriptError` 403 when he may not. */
export async function readableFile(file: ScriptEntity, { run, access }: ScriptContext): Promise<GraphNode> {
  const now = await run.entities.fresh(file);
  if (now.kind === 'node' && (await run.transaction.read((tx) => allowed(tx, access, 'read', now)))) return now;
  throw new ScriptError(403, `Reading ${file.type}(${file.id}) is not permitted.`);
}

/**
 * The content of a file, for somebody who may read it. Throws `ScriptError`: 403 when he may not, 422 for files that are evaluated
 * when they are read.
 */
export async function fileContent(file: ScriptEntity, context: ScriptContext): Promise<FileContent> {
  const now = await readableFile(file, context);
  try {
    return context.run.parts.files.contentOf(now);
  } catch (error) {
    if (error instanceof FilesError) throw new ScriptError(error.status, error.message, [], { cause: error });
    throw error;
  }
}

const MB = 1024 * 1024;
/** Content that functions work with as a whole. */
const MOST_WHOLE = 16 * MB;

/** The whole content of a file that is not too large for it. Throws `ScriptError` 413 when it is, and as `fileContent` does. */
export async function wholeContent(file: ScriptEntity, context: ScriptContext): Promise<Buffer> {
  const { name, size, read } = await fileContent(file, context);
  if (size > MOST_WHOLE) {
    throw new ScriptError(413, `The file ${name} is larger than ${String(MOST_WHOLE / MB)} MB.`);
  }
  const pieces: Buffer[] = [];
  for await (const piece of read()) pieces.push(piece);
  return Buffer.concat(pieces);
}
