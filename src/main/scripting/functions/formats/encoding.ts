/** Texts in forms that other languages and protocols take (docs/interface/script-runtime.md 8.1). */
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { escapeMarkup } from '../../../../shared/escape-markup.js';
import { unescapeMarkup } from '../../language/formats/html-entities.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import { isMap, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { checkLength, misused, optionalText } from '../../run/function/arguments.js';
import { runSteps, Turns, type Steps } from '../../language/steps.js';
import { ofCharacters, ofText } from '../../run/function/text-function.js';

const DEEPEST = 50;
/** Characters of a line in the scheme `mime`. */
const MIME_LINE = 76;
const ENCODINGS = new Map<string, BufferEncoding>([
  ['utf-8', 'utf8'],
  ['utf8', 'utf8'],
  ['us-ascii', 'ascii'],
  ['ascii', 'ascii'],
  ['iso-8859-1', 'latin1'],
  ['latin1', 'latin1'],
  ['utf-16le', 'utf16le'],
]);

function encodingOf(charset: ScriptValue | undefined, context: ScriptContext): BufferEncoding | undefined {
  return ENCODINGS.get(optionalText(charset, 'utf-8', context).toLowerCase());
}

const base64encode: ScriptFunction = {
  name: 'base64encode',
  signature: 'base64encode(text or bytes [, scheme = "basic" [, charset = "UTF-8"]])',
  meaning: 'Base64 by one of the schemes `basic`, `url` and `mime`.',
  example: "base64encode('Hello') // SGVsbG8=",
  min: 1,
  max: 3,
  pure: true,
  run(args, context) {
    const [value = null, scheme, charset] = args;
    if (value === null) return null;
    const encoding = encodingOf(charset, context);
    if (encoding === undefined) return misused(this, 'does not know this charset', context);
    const bytes = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(textOf(value, context), encoding);
    checkLength(Math.ceil(bytes.length / 3) * 4, this.name);
    const text = bytes.toString('base64');
    switch (optionalText(scheme, 'basic', context)) {
      case 'url':
        return text.replaceAll('+', '-').replaceAll('/', '_');
      case 'mime': {
        const lines: string[] = [];
        for (let at = 0; at < text.length; at += MIME_LINE) lines.push(text.slice(at, at + MIME_LINE));
        return lines.join('\r\n');
      }
      default:
        return text;
    }
  },
};

const ALPHABETS = { basic: /^[A-Za-z0-9+/]*(={0,2})$/, url: /^[A-Za-z0-9_-]*(={0,2})$/ } as const;

const base64decode: ScriptFunction = {
  name: 'base64decode',
  signature: 'base64decode(text [, scheme = "basic" [, charset = "UTF-8"]])',
  meaning: 'The text that Base64 stands for. What is no Base64 gives a message that says so.',
  example: "base64decode('SGVsbG8=') // Hello",
  min: 1,
  max: 3,
  pure: true,
  run(args, context) {
    const [value = null, scheme, charset] = args;
    if (value === null) return null;
    const encoding = encodingOf(charset, context);
    if (encoding === undefined) return misused(this, 'does not know this charset', context);
    const named = optionalText(scheme, 'basic', context);
    let text = textOf(value, context);
    if (named === 'mime') text = text.replace(/[^A-Za-z0-9+/=]/g, '');
    const padding = ALPHABETS[named === 'url' ? 'url' : 'basic'].exec(text)?.[1];
    // Without padding it is complete as well, but a single character left over stands for nothing.
    const left = (text.length - (padding?.length ?? 0)) % 4;
    if (padding === undefined || left === 1 || (padding !== '' && text.length % 4 !== 0)) {
      return 'This text is no Base64 of the scheme.';
    }
    return Buffer.from(text, 'base64').toString(encoding);
  },
};

/** As forms are sent: a blank is `+`. */
export function formEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

/** What a form says, put together part by part: a map may hold the same one many times. */
class Form {
  text = '';
  private readonly turns = new Turns('formurlencode()');

  constructor(private readonly context: ScriptContext) {}

  *write(key: string, value: ScriptValue, depth: number): Steps<void> {
    if (depth > DEEPEST) throw new ScriptError(422, 'formurlencode() was given a map that is nested too deeply.');
    yield* this.turns.pause();
    const inner = (name: string): string => (key === '' ? name : `${key}[${name}]`);
    if (isMap(value)) for (const [name, one] of value) yield* this.write(inner(name), one, depth + 1);
    else if (Array.isArray(value)) {
      for (const [i, one] of value.entries()) yield* this.write(inner(String(i)), one, depth + 1);
    } else this.add(`${key}=${value === null ? '' : formEncoded(this.plain(value))}`);
  }

  private plain(value: ScriptValue): string {
    const isIntegral = typeof value === 'number' && Number.isSafeInteger(value);
    return isIntegral ? String(value) : textOf(value, this.context);
  }

  private add(pair: string): void {
    this.text += this.text === '' ? pair : `&${pair}`;
    checkLength(this.text.length, 'formurlencode');
  }
}

function* form(map: ScriptMap, context: ScriptContext): Steps<string> {
  const made = new Form(context);
  yield* made.write('', map, 0);
  return made.text;
}

const formurlencode: ScriptFunction = {
  name: 'formurlencode',
  signature: 'formurlencode(map)',
  meaning: 'A map as forms are sent: `a=1&b[c]=x&l[0]=y`. Values are encoded, keys are taken as they are.',
  example: `formurlencode(fromJson('{"a": 1, "b": {"c": "x y"}}')) // a=1&b[c]=x+y`,
  min: 1,
  max: 1,
  pure: true,
  run(args, context) {
    const [map = null] = args;
    if (map === null) return null;
    if (!isMap(map)) return misused(this, 'needs a map', context);
    return runSteps(form(map, context));
  },
};

/** A text between the quotes of a JSON string. */
function escapedJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Also what would end a script in a page, or a line of one. */
function escapedJavaScript(text: string): string {
  return escapedJson(text)
    .replaceAll("'", "\\'")
    .replaceAll('/', '\\/')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** Without what stands between angle brackets. */
function withoutTags(text: string): string {
  let result = '';
  let from = 0;
  for (;;) {
    const open = text.indexOf('<', from);
    const close = open < 0 ? -1 : text.indexOf('>', open);
    if (close < 0) return result + text.slice(from);
    result += text.slice(from, open);
    from = close + 1;
  }
}

// Control characters cannot be said in XML at all.
// eslint-disable-next-line no-control-regex
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export const encoding: FunctionCategory = {
  title: 'Encoding and escaping',
  functions: [
    base64encode,
    base64decode,
    ofCharacters(
      'urlencode',
      'The text as part of a URL; a blank is `+`.',
      "urlencode('a b&c') // a+b%26c",
      formEncoded,
    ),
    formurlencode,
    ofCharacters('escapeHtml', 'The text as it is written in HTML.', "escapeHtml('<b>') // &lt;b&gt;", escapeMarkup),
    ofCharacters(
      'unescapeHtml',
      'The text that HTML means.',
      "unescapeHtml('&lt;b&gt; &auml;') // <b> ä",
      unescapeMarkup,
    ),
    ofCharacters(
      'escapeXml',
      'The text as it is written in XML. Characters that XML does not have are left out.',
      "escapeXml('a & b') // a &amp; b",
      (text) => escapeMarkup(text.replace(NOT_IN_XML, '')).replaceAll('&#39;', '&apos;'),
    ),
    ofCharacters(
      'escapeJavascript',
      'The text as it is written between quotes in JavaScript; slashes are escaped too.',
      `escapeJavascript("it's") // it\\'s`,
      escapedJavaScript,
    ),
    ofCharacters(
      'escapeJson',
      'The text as it is written between quotes in JSON.',
      `escapeJson('say "hi"') // say \\"hi\\"`,
      escapedJson,
    ),
    ofText('stripHtml', 'Without what stands between angle brackets.', "stripHtml('<b>bold</b>') // bold", withoutTags),
  ],
};
