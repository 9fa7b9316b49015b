/** PDF documents (docs/interface/script-runtime.md 8.8). */
import type { PdfEncryptJob } from '../../../../workers/documents/pdf-encrypt.js';
import { ScriptError } from '../../language/errors.js';
import { readableFile, wholeContent } from '../../run/files/file-content.js';
import type { FunctionCategory } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import { withinScript } from '../../run/files/within.js';
import { fileIn } from './files.js';

const LONGEST_PASSWORD = 127;
const MOST_UNPACKED = 128 * 1024 * 1024;

export const pdfFunctions: FunctionCategory = {
  title: 'Files',
  functions: [
    {
      name: 'pdfEncrypt',
      signature: 'pdfEncrypt(file, password)',
      meaning:
        'Encrypts the content of a File, a PDF document of at most 16 MB, by AES with 256 bits: it opens with the password alone.',
      example: "pdfEncrypt(first(find('File', 'name', 'report.pdf')), 'secret')",
      min: 2,
      max: 2,
      run: async ([target = null, secret = null], context) => {
        if (target === null || secret === null) return null;
        const file = fileIn(target, 'pdfEncrypt', context);
        const password = textOf(secret, context);
        if (password === '' || Buffer.byteLength(password) > LONGEST_PASSWORD) {
          throw new ScriptError(
            422,
            `The password of pdfEncrypt() has between 1 and ${String(LONGEST_PASSWORD)} bytes.`,
          );
        }
        const node = await readableFile(file, context);
        await withinScript(context, async (within) => {
          const encrypted = async function* (): AsyncGenerator<Buffer, void> {
            const bytes = await wholeContent(file, context);
            const { threads } = context.run.parts;
            const job: PdfEncryptJob = { bytes, password, mostUnpacked: MOST_UNPACKED };
            const outcome = await threads.run<Uint8Array>('documents/pdf-encrypt', job, 'pdfEncrypt()', context);
            if ('problem' in outcome) {
              throw new ScriptError(422, `The document cannot be encrypted: ${outcome.problem.replace(/\.$/, '')}.`);
            }
            yield Buffer.from(outcome.value);
          };
          await context.run.parts.files.methods.setDerived(within, node, encrypted());
        });
        return null;
      },
    },
  ],
};
