/** The head of a part of `multipart/form-data` (RFC 7578, 4.2 to 4.5): what it is called, and what it says of its content. */

/** Values by name in small letters, as they came: one character a byte. */
export type PartHeader = Readonly<Record<string, readonly string[]>>;

export interface PartHead {
  /** Name of the form's field; empty when there is none. */
  readonly name: string;
  /** As the client sent it, with any path; undefined: this is a field and no file. */
  readonly filename: string | undefined;
  /** In small letters, without parameters; empty when the client said nothing, or `application/octet-stream`, which says as much. */
  readonly contentType: string;
  /** Charset of a field's value. */
  readonly charset: string;
}

/** As many as the parser keeps of a part, and one more. */
export const MOST_HEADERS = 2000;
/** Characters of names and values. */
const HEADERS_SIZE = 16 * 1024;

const PARAMETER = /\s*;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\[^])*)"|([^";]*))/y;
/** All but the tab. */
const CONTROL = /[^\t\x20-\x7e\x80-\xff]/;
const BYTES = 'application/octet-stream';

/** What is wrong with a head; undefined: nothing. */
export function problemOf(header: PartHeader): string | undefined {
  let count = 0;
  let size = 0;
  for (const [name, values] of Object.entries(header)) {
    count += values.length;
    for (const value of values) {
      size += name.length + value.length;
      if (CONTROL.test(value)) return 'has characters that headers cannot have';
    }
  }
  return count > MOST_HEADERS || size > HEADERS_SIZE ? 'is too long' : undefined;
}

/** Reads a head; undefined: it does not belong to a form, and its part is passed over. */
export function partHeadOf(header: PartHeader): PartHead | undefined {
  const [disposition] = header['content-disposition'] ?? [];
  const form = disposition === undefined ? undefined : withParameters(disposition);
  if (form?.value !== 'form-data') return undefined;
  const { parameters } = form;
  const extended = parameters.get('filename*');
  const filename = extended === undefined ? parameters.get('filename') : extendedValue(extended);
  if (extended !== undefined && filename === undefined) return undefined;
  const type = withParameters(header['content-type']?.[0] ?? '');
  const isType = type !== undefined && /^[^\s/]+\/[^\s/]+$/.test(type.value);
  return {
    name: utf8(parameters.get('name') ?? ''),
    // One without a name is a file by its type alone.
    filename:
      nonEmpty(extended === undefined ? utf8(filename ?? '') : filename) ??
      (isType && type.value === BYTES ? '' : undefined),
    contentType: isType && type.value !== BYTES ? type.value : '',
    charset: (isType ? type.parameters.get('charset') : undefined) ?? 'utf-8',
  };
}

/** The boundary that the header of a request names; undefined: none. */
export function boundaryOf(contentType: string): string | undefined {
  return nonEmpty(withParameters(contentType)?.parameters.get('boundary'));
}

/** Bytes as text; undefined: the charset is not known. */
export function decoded(bytes: Buffer, charset: string): string | undefined {
  if (/^utf-?8$/i.test(charset)) return bytes.toString('utf8');
  try {
    return new TextDecoder(charset, { ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A value and its parameters by name in small letters, the first of each; undefined for what has no such form. */
function withParameters(text: string): { value: string; parameters: ReadonlyMap<string, string> } | undefined {
  const end = text.indexOf(';');
  const value = (end < 0 ? text : text.slice(0, end)).trim().toLowerCase();
  const parameters = new Map<string, string>();
  if (end < 0) return { value, parameters };
  PARAMETER.lastIndex = end;
  let at = end;
  for (let found = PARAMETER.exec(text); found !== null; found = PARAMETER.exec(text)) {
    const [, key = '', quoted, plain = ''] = found;
    const name = key.toLowerCase();
    at = PARAMETER.lastIndex;
    // Backslashes of Windows' paths, which some clients send as they are, mean themselves.
    if (!parameters.has(name)) parameters.set(name, quoted?.replace(/\\(["\\])/g, '$1') ?? plain.trimEnd());
  }
  return /^[\s;]*$/.test(text.slice(at)) ? { value, parameters } : undefined;
}

/** `charset'language'text` with escaped bytes (RFC 8187, 3.2); undefined for what has no such form. */
function extendedValue(text: string): string | undefined {
  const [charset = '', language, ...rest] = text.split("'");
  if (charset === '' || language === undefined) return undefined;
  const bytes = rest.join("'").replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return decoded(Buffer.from(bytes, 'latin1'), charset);
}

function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
