/**
 * What kind of content a file has: told by its first bytes, then by its name, and only then by what the client says, as
 * far as the bytes do not speak against it (docs/interface/files.md 3.6; what clients say is believed less here than there).
 */
import type { GraphNode } from '../../graph/index.js';
import { contentTypeOf } from '../../../shared/content-type.js';

/** Bytes of the beginning that are looked at. */
export const HEAD_BYTES = 4100;
const UNKNOWN = 'application/octet-stream';

/** Types a browser runs scripts of, itself or in what they contain. */
const ACTIVE =
  /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml|(?:text|application)\/(?:xml|[\w.-]+\+xml)|text\/xsl|multipart\/.*|message\/.*)$/;
/** Containers that many types are made of, and those types. */
const WITHIN: readonly [container: RegExp, content: RegExp][] = [
  [/^application\/zip$/, /^application\/(?:vnd\.|epub|java-archive|x-|msix|zip)/],
  [/^application\/(?:xml|x-xml)$/, /(?:\/|\+)xml$/],
  [/^application\/(?:x-cfb|x-ole-storage)$/, /^application\/(?:vnd\.|msword|x-msi)/],
  [/^(?:video|audio)\/(?:mp4|x-m4v|x-m4a|3gpp2?|quicktime)$/, /^(?:video|audio)\/|^image\/(?:heic|heif|avif)/],
  [
    /^(?:video|audio|application)\/(?:ogg|webm|matroska|x-matroska|x-ms-asf|vnd\.ms-asf)$/,
    /^(?:video|audio|application)\//,
  ],
  [/^application\/gzip$/, /^application\/(?:gzip|x-)|\+gzip$/],
];

interface Signatures {
  /** The type that bytes begin like. */
  readonly typeOf: (head: Buffer) => Promise<string | undefined>;
  /** Types that bytes can be told by. */
  readonly signed: ReadonlySet<string>;
}

let signatures: Promise<Signatures> | undefined;

/** Loaded with the first upload: many modules, which would hold up every start. */
async function loadSignatures(): Promise<Signatures> {
  const { fileTypeFromBuffer, supportedMimeTypes } = await import('file-type');
  return {
    typeOf: async (head) => (await fileTypeFromBuffer(head).catch(() => undefined))?.mime,
    signed: new Set([...supportedMimeTypes].filter((type) => !ACTIVE.test(type))),
  };
}

/** The type without its parameters, in lower case; empty when it does not look like one. */
export function essence(type: string): string {
  const plain = (type.split(';')[0] ?? '').trim().toLowerCase();
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(plain) ? plain : '';
}

/** The same of the content type that a file has. */
export function essenceOf({ properties }: GraphNode): string {
  return typeof properties['contentType'] === 'string' ? essence(properties['contentType']) : '';
}

/** Whether the content type of a file is one of XML. */
export function isXml(file: GraphNode): boolean {
  return ['text/xml', 'application/xml'].includes(essenceOf(file));
}

/** Name of the type of files that content of this type makes. */
export function typeNameFor(contentType: string): 'Image' | 'VideoFile' | 'File' {
  return contentType.startsWith('image/') ? 'Image' : contentType.startsWith('video/') ? 'VideoFile' : 'File';
}

/**
 * Whether browsers may run scripts in content of this type. What is no type is one: some take the last of several types,
 * and guess where there is none.
 */
export function isActive(type: string): boolean {
  return type !== '' && type.split(',').some((one) => essence(one) === '' || ACTIVE.test(essence(one)));
}

/** The content type of a file. `head`: its first bytes; `claimed`: what the client said, with parameters, or empty. */
export async function detectContentType(name: string, claimed: string, head: Buffer): Promise<string> {
  const said = essence(claimed);
  // A part that says nothing is text, says the parser.
  const isLie = isActive(said) || (said.startsWith('text/') && !looksLikeText(head));
  const candidates = [contentTypeOf(name) ?? '', isLie ? '' : said].filter((type) => type !== '');
  const chosen = head.length === 0 ? candidates[0] : await matching(candidates, head);
  const type = chosen ?? (looksLikeText(head) ? 'text/plain' : UNKNOWN);
  // Its own words, for the parameters.
  return type === said && claimed.length < 200 && !/[^ -~]/.test(claimed) ? claimed.trim() : type;
}

async function matching(candidates: readonly string[], head: Buffer): Promise<string | undefined> {
  const { typeOf, signed } = await (signatures ??= loadSignatures());
  const found = await typeOf(head);
  if (found === undefined) return candidates.find((type) => !signed.has(type) && type !== UNKNOWN);
  return candidates.find((type) => type === found || within(found, type)) ?? found;
}

function within(container: string, content: string): boolean {
  return WITHIN.some(([outer, inner]) => outer.test(container) && inner.test(content));
}

/** Without bytes that no text has; a character cut at the end is none of them. */
function looksLikeText(head: Buffer): boolean {
  for (const byte of head) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) return false;
  return true;
}
