/** Archives of files of the tree (docs/interface/script-runtime.md 8.8). */
import type { ZipEncryption } from '../../../files/index.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { readableFile } from '../../run/files/file-content.js';
import type { FunctionCategory } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import type { ScriptEntity, ScriptValue } from '../../language/values.js';
import { withinScript } from '../../run/files/within.js';
import { optionalText } from '../../run/function/arguments.js';
import { fileIn } from './files.js';
import { entityIn } from '../../run/function/pairs.js';

const SEEN =
  'Only what the user may read is in it. It is in the root folder, and `.zip` is added to its name where it is missing.';

export const archiveFunctions: FunctionCategory = {
  title: 'Files',
  functions: [
    {
      name: 'createArchive',
      signature: 'createArchive(name, filesOrFolders [, fileType = "File"])',
      meaning: `A new file, of this type, with a ZIP archive of a file, a folder or a list of them, with all that is in folders. ${SEEN}`,
      example: "createArchive('reports', find('Folder', 'name', 'reports')).name",
      min: 2,
      max: 3,
      run: async ([name = null, content = null, type = null], context) => {
        if (name === null || content === null) return null;
        return created(textOf(name, context), content, type, undefined, context);
      },
    },
    {
      name: 'createZip',
      signature: 'createZip(name, filesOrFolders [, password [, encryption = "standard"]])',
      meaning:
        `Like createArchive; with a password the files in it are encrypted, with AES (256 bits) when encryption is "aes". The standard ` +
        `encryption can be read by every program, and keeps nobody out for long; names and sizes stay visible with both. ${SEEN}`,
      example: "createZip('reports', find('Folder', 'name', 'reports'), 'secret', 'aes').name",
      min: 2,
      max: 4,
      run: async ([name = null, content = null, password = null, kind = null], context) => {
        if (name === null || content === null) return null;
        return created(textOf(name, context), content, null, encryptionOf(password, kind, context), context);
      },
    },
    {
      name: 'unarchive',
      signature: 'unarchive(file [, parentFolder])',
      meaning:
        'Extracts a ZIP archive into a folder, without one into that which the archive lies in. Nothing is extracted when the script fails.',
      example: "unarchive(first(find('File', 'name', 'reports.zip')), createFolderPath('/reports'))",
      min: 1,
      max: 2,
      run: async ([file = null, parent = null], context) => {
        if (file === null) return null;
        const archive = await readableFile(fileIn(file, 'unarchive', context), context);
        const folder = parent === null ? undefined : entityIn(parent, 'The second argument of unarchive()').id;
        const { archivesWithin } = context.run.parts.files;
        await withinScript(context, (one) => archivesWithin.extract(one, archive, folder));
        return null;
      },
    },
  ],
};

/** Throws `ScriptError` 422 for an encryption that there is not, and for an empty password. */
function encryptionOf(password: ScriptValue, kind: ScriptValue, context: ScriptContext): ZipEncryption | undefined {
  const named = optionalText(kind, 'standard', context).toLowerCase();
  if (named !== 'standard' && named !== 'aes') {
    throw new ScriptError(422, 'The encryption of createZip() is "standard" or "aes".');
  }
  if (password === null) {
    if (kind === null) return undefined;
    throw new ScriptError(422, 'createZip() cannot encrypt without a password.');
  }
  const text = textOf(password, context);
  if (text === '' || text.length > 1000) {
    throw new ScriptError(422, 'The password of createZip() has between 1 and 1000 characters.');
  }
  return { kind: named, password: text };
}

async function created(
  name: string,
  content: ScriptValue,
  type: ScriptValue,
  encryption: ZipEncryption | undefined,
  context: ScriptContext,
): Promise<ScriptEntity> {
  const several = Array.isArray(content) ? content : [content];
  const ids = several.map((one) => entityIn(one, 'What is to be in an archive').id);
  const wish = { name, ids: [...new Set(ids)], type: type === null ? undefined : textOf(type, context), encryption };
  const { files } = context.run.parts;
  const node = await withinScript(context, (one) => files.archivesWithin.create(one, wish));
  return context.run.entities.of(node);
}
