/** Pictures of bar codes (docs/interface/script-runtime.md 8.5). */
import type { BarcodeJob } from '../../../../workers/documents/barcode.js';
import type { ScriptContext } from '../../run/run.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import { textOf } from '../../language/text.js';
import { indexOf, misused } from '../../run/function/arguments.js';
import { pairsIn, type Pairs } from '../../run/function/pairs.js';

const LONGEST = 8000;
const LARGEST = 2000;
const MOST_MARGIN = 100;

/** Names of BWIPP by those of the interface. */
const SYMBOLOGIES: ReadonlyMap<string, string> = new Map([
  ['AZTEC', 'azteccode'],
  ['CODABAR', 'rationalizedCodabar'],
  ['CODE_39', 'code39'],
  ['CODE_93', 'code93'],
  ['CODE_128', 'code128'],
  ['DATA_MATRIX', 'datamatrix'],
  ['EAN_8', 'ean8'],
  ['EAN_13', 'ean13'],
  ['ITF', 'interleaved2of5'],
  ['PDF_417', 'pdf417'],
  ['QR_CODE', 'qrcode'],
  ['UPC_A', 'upca'],
  ['UPC_E', 'upce'],
]);
/** Those that can be told how much of them may be lost, and how. */
const CORRECTIONS: Readonly<Record<string, RegExp>> = {
  qrcode: /^[LMQH]$/,
  pdf417: /^[0-8]$/,
  azteccode: /^(?:[5-9]|[1-8]\d|9[0-5])$/,
};

/** Undefined: they make no sense. */
function hinted(hints: Pairs, symbology: string, context: ScriptContext): Partial<BarcodeJob> | undefined {
  let made: Partial<BarcodeJob> = {};
  for (const [name, value] of hints) {
    if (value === null) continue;
    const text = textOf(value, context).trim();
    if (name === 'MARGIN') {
      const margin = indexOf(value);
      if (margin === undefined || margin < 0 || margin > MOST_MARGIN) return undefined;
      made = { ...made, margin };
    } else if (name === 'ERROR_CORRECTION') {
      const level = typeof value === 'string' ? text : String(indexOf(value));
      if (CORRECTIONS[symbology]?.test(level) !== true) return undefined;
      made = { ...made, errorCorrection: level };
    } else if (name !== 'CHARACTER_SET' || !/^utf-?8$/i.test(text)) return undefined;
  }
  return made;
}

const barcode: ScriptFunction = {
  name: 'barcode',
  signature: 'barcode(type, text [, width = 200 [, height = 200 [, hint, value... | map]]])',
  meaning:
    `A bar code as PNG, its bytes as text in ISO-8859-1 (\`setContent(file, ..., 'ISO-8859-1')\`), so many pixels wide and high or ` +
    `as large as it has to be; the empty text when the code cannot hold the text. Types: ${[...SYMBOLOGIES.keys()].join(', ')}. ` +
    'Hints: MARGIN (modules that stay white around it), ERROR_CORRECTION (L, M, Q or H of QR codes, 0 to 8 of PDF_417, percent of ' +
    'AZTEC), CHARACTER_SET (UTF-8 alone).',
  example: "length(barcode('EAN_13', 'no digits')) // 0",
  min: 2,
  pure: true,
  async run(args, context) {
    const [type = null, value = null, wide = null, high = null, ...rest] = args;
    if (type === null || value === null) return '';
    const name = textOf(type, context).toUpperCase();
    const symbology = SYMBOLOGIES.get(name);
    const width = wide === null ? 200 : indexOf(wide);
    const height = high === null ? 200 : indexOf(high);
    const isSize = (size: number | undefined): size is number => size !== undefined && size > 0 && size <= LARGEST;
    const hints = pairsIn(rest, 0);
    if (symbology === undefined) return misused(this, `knows no type ${JSON.stringify(name.slice(0, 100))}`, context);
    if (!isSize(width) || !isSize(height))
      return misused(this, `makes pictures of 1 to ${String(LARGEST)} pixels`, context);
    const more = hinted(hints, symbology, context);
    if (more === undefined) return misused(this, 'was given hints that make no sense', context);
    const text = textOf(value, context);
    const failed = (why: string): string => {
      note(context, `barcode() makes no ${name}: ${why}`);
      return '';
    };
    if (text === '' || text.length > LONGEST) return failed('the text is empty, or too long');
    const job: BarcodeJob = { margin: undefined, errorCorrection: undefined, ...more, symbology, text, width, height };
    const outcome = await context.run.parts.threads.run<Uint8Array>('documents/barcode', job, 'barcode()', context);
    return 'problem' in outcome ? failed(outcome.problem) : Buffer.from(outcome.value).toString('latin1');
  },
};

export const barcodeFunctions: FunctionCategory = { title: 'Bar codes', functions: [barcode] };
