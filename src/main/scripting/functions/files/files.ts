/** Content of files of the tree (docs/interface/script-runtime.md 8.8). */
import type { GraphNode } from '../../../graph/index.js';
import type { Writing } from '../../../files/index.js';
import { makeFolders } from '../../../schema/index.js';
import type { JsonValue } from '../../../../shared/json/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import { isMap, type ScriptEntity, type ScriptValue } from '../../language/values.js';
import { entityIn, ofObjects } from '../../run/function/pairs.js';

export const fileFunctions: FunctionCategory = {
  title: 'Files',
  functions: [
    ofObjects(
      {
        name: 'getContent',
        signature: 'getContent(file [, encoding])',
        meaning: 'The content of a file: text in the encoding, or bytes without one. Templates are evaluated.',
        example: "getContent(find('File', 'name', 'notes.txt')[0], 'UTF-8')",
        min: 1,
        max: 2,
      },
      ['File'],
      async ([one], [encoding = null], context) => {
        if (one === undefined) return null;
        const node = (await context.run.entities.fresh(one)) as GraphNode;
        const { methods } = context.run.parts.files;
        const reader = { actor: context.actor, access: context.access, origin: context };
        if (encoding === null) {
          const bytes = await methods.bytes(node, reader);
          return bytes.length === 0 ? '' : new Uint8Array(bytes);
        }
        return methods.content(node, textOf(encoding, context), reader);
      },
    ),
    writesContent('setContent', 'Replaces the content of a file.', 'new text'),
    writesContent('appendContent', 'Adds to the end of a file.', 'more'),
    ofObjects(
      {
        name: 'copyFileContents',
        signature: 'copyFileContents(source, target)',
        meaning: 'Makes the content and content type of one file those of another, which is answered.',
        example: "copyFileContents(find('File', 'name', 'a.txt')[0], find('File', 'name', 'b.txt')[0])",
        min: 2,
        max: 2,
      },
      ['File', 'File'],
      async ([from, to], _rest, context) => {
        if (from === undefined || to === undefined) return null;
        const { writing, node } = await writingIn(from, context);
        await context.run.parts.files.methods.copyContents(writing, node, to.id);
        return to;
      },
    ),
    {
      name: 'createFolderPath',
      signature: 'createFolderPath(path)',
      meaning: 'Creates the folders of a path that are not there yet; answers the last one.',
      example: "createFolderPath('/reports/2026')",
      min: 1,
      max: 1,
      run: async ([given = null], context) => {
        const path = isMap(given) ? (given.get('path') ?? null) : given;
        if (typeof path !== 'string' || path.trim() === '') return null;
        const objects = await context.run.transaction.objects(context.actor, context.access);
        const folder = await makeFolders(objects, path);
        return folder === undefined ? null : context.run.entities.of(folder);
      },
    },
  ],
};

/** A file of the tree. Throws `ScriptError` 422 for anything else. */
export function fileIn(value: ScriptValue | undefined, name: string, { run }: ScriptContext): ScriptEntity {
  const one = entityIn(value, `An argument of ${name}()`);
  if (run.schema.typeOf(one.entity).hasTrait('File')) return one;
  throw new ScriptError(422, `${name}() needs a file, not an object of type ${one.type}.`);
}

/**
 * A file as it is now, in the transaction of the script, which becomes the writer: when that fails, what was stored goes, by the
 * sweep at the latest.
 */
export async function writingIn(
  file: ScriptEntity,
  context: ScriptContext,
): Promise<{ readonly writing: Writing; readonly node: GraphNode }> {
  const { run, actor, access } = context;
  const objects = await run.transaction.objects(actor, access);
  return { writing: { actor, access, objects }, node: (await run.entities.fresh(file)) as GraphNode };
}

function contentIn(value: ScriptValue, name: string): JsonValue {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'bigint' ? Number(one) : -1000));
  if (typeof value !== 'object') return String(value);
  throw new ScriptError(422, `${name}() writes text or bytes.`);
}

function writesContent(name: 'setContent' | 'appendContent', meaning: string, text: string): ScriptFunction {
  const signature = `${name}(file, textOrBytes [, encoding = "UTF-8"])`;
  const example = `${name}(find('File', 'name', 'notes.txt')[0], '${text}')`;
  return ofObjects(
    { name, signature, meaning, example, min: 2, max: 3 },
    ['File'],
    async ([one], [content = null, encoding = 'UTF-8'], context) => {
      if (one === undefined || content === null) return null;
      const { writing, node } = await writingIn(one, context);
      await context.run.parts.files.methods[name](writing, node, contentIn(content, name), textOf(encoding, context));
      return null;
    },
  );
}
