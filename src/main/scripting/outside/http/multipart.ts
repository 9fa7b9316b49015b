/** Bodies of several parts, as forms send them (docs/interface/script-runtime.md 5.2). Files are streamed, one after the other. */
import { randomBytes } from 'node:crypto';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { fileContent, isFile } from '../../run/files/file-content.js';
import { textOf } from '../../language/text.js';
import { ScriptEntity, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { bytesBody, encodeText } from './bodies.js';
import type { OutboundBody } from './exchange.js';

const MOST_PARTS = 1000;
const DEEPEST = 20;
const LINE_END = Buffer.from('\r\n');

interface Part {
  readonly head: Buffer;
  readonly body: OutboundBody;
}

/**
 * A part for each entry: a text, a File with its name and content type, for a Folder every file that lies in it, for a list each of
 * its elements; null has none. Throws `ScriptError` 422 for more than 1000 parts.
 */
export async function multipartBody(entries: ScriptMap, context: ScriptContext): Promise<OutboundBody> {
  const boundary = `svc-${randomBytes(18).toString('hex')}`;
  const parts: Part[] = [];
  for (const [name, value] of entries) await addParts(parts, boundary, name, value, context, 0);
  const end = Buffer.from(`--${boundary}--\r\n`);
  return {
    size: parts.reduce((sum, { head, body }) => sum + head.length + body.size + LINE_END.length, end.length),
    type: `multipart/form-data; boundary=${boundary}`,
    isStreamed: parts.some(({ body }) => body.isStreamed),
    bytes: async function* (signal) {
      for (const { head, body } of parts) {
        yield head;
        yield* body.bytes(signal);
        yield LINE_END;
      }
      yield end;
    },
  };
}

async function addParts(
  parts: Part[],
  boundary: string,
  name: string,
  value: ScriptValue,
  context: ScriptContext,
  depth: number,
): Promise<void> {
  if (value === null) return;
  const several = Array.isArray(value) ? value : await filesIn(value, context);
  if (several !== undefined) {
    if (depth >= DEEPEST) throw new ScriptError(422, 'A list of parts is nested too deeply, or holds itself.');
    for (const one of several) await addParts(parts, boundary, name, one, context, depth + 1);
    return;
  }
  if (parts.length >= MOST_PARTS) throw new ScriptError(422, `A body has at most ${String(MOST_PARTS)} parts.`);
  const { body, fileName } = await partOf(value, context);
  const disposition = `form-data; name="${quoted(name)}"${fileName === undefined ? '' : `; filename="${quoted(fileName)}"`}`;
  const lines = [`--${boundary}`, `Content-Disposition: ${disposition}`, `Content-Type: ${oneLine(body.type)}`, '', ''];
  parts.push({ head: Buffer.from(lines.join('\r\n')), body });
}

async function partOf(
  value: Exclude<ScriptValue, null>,
  context: ScriptContext,
): Promise<{ readonly body: OutboundBody; readonly fileName?: string }> {
  if (isFile(value, context)) {
    const { name, size, contentType, read } = await fileContent(value, context);
    return { body: { size, type: contentType, isStreamed: true, bytes: read }, fileName: name };
  }
  if (value instanceof Uint8Array) return { body: bytesBody(value, 'application/octet-stream'), fileName: 'data' };
  return { body: bytesBody(encodeText(textOf(value, context), 'UTF-8'), 'text/plain; charset=UTF-8') };
}

/** The files that lie in a folder; undefined: this is no folder. */
async function filesIn(value: ScriptValue, context: ScriptContext): Promise<ScriptValue[] | undefined> {
  const { entities } = context.run;
  if (!(value instanceof ScriptEntity) || !entities.typeOf(value).hasTrait('Folder')) return undefined;
  const files = await entities.get(value, 'files', context);
  return Array.isArray(files) ? files : [];
}

/** As browsers write names of fields and files (HTML standard, multipart/form-data). */
function quoted(text: string): string {
  return text.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}
