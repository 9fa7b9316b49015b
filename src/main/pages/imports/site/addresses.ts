/** Addresses in a page that is imported: which of them are of files that belong to it, and where these go (docs/interface/pages.md 8.5). */
import type { HtmlElement } from '../read-html.js';

/** What is done with the address that an attribute has. */
export type Use =
  /** The file is fetched. */
  | 'file'
  /** A list of files and their sizes (`srcset`). */
  | 'files'
  /** It stays where it is: the address is made whole. */
  | 'elsewhere';

const FILES: Readonly<Record<string, readonly string[]>> = {
  img: ['src'],
  script: ['src'],
  audio: ['src'],
  video: ['src', 'poster'],
  input: ['src'],
  source: ['src'],
  track: ['src'],
};
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  iframe: ['src'],
  embed: ['src'],
  object: ['data'],
  link: ['href'],
};
const LISTS: ReadonlySet<string> = new Set(['img', 'source']);
/** What a `link` brings into a page; others only say where something is. */
const BRINGS =
  /(?:^|\s)(?:stylesheet|icon|apple-touch-icon(?:-precomposed)?|mask-icon|manifest|preload|modulepreload)(?:\s|$)/i;

/** What an attribute of an element is in a page; undefined: no address that an import looks at. */
export function useOf({ tag, attributes }: HtmlElement, name: string): Use | undefined {
  if (name === 'srcset' && LISTS.has(tag)) return 'files';
  if (FILES[tag]?.includes(name) === true) return 'file';
  if (tag === 'link' && name === 'href') {
    const rel = attributes.find(([key]) => key === 'rel')?.[1] ?? '';
    return BRINGS.test(rel) ? 'file' : 'elsewhere';
  }
  return ELSEWHERE[tag]?.includes(name) === true ? 'elsewhere' : undefined;
}

/** What an address means in a page or sheet; undefined: nothing that could be fetched, such as data or a place in the page itself. */
export function resolved(address: string, base: URL): URL | undefined {
  const text = address.trim();
  if (text === '' || text.startsWith('#') || text.length > 8192) return undefined;
  try {
    const url = new URL(text, base);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Candidates of a `srcset`, in order (HTML, 4.8.4.2.2). It may be long: each character is looked at once or twice. */
export function* candidates(srcset: string): Generator<{ readonly address: string; readonly size: string }> {
  for (let at = behind(/[\s,]*/y, srcset, 0); at < srcset.length; at = behind(/[\s,]*/y, srcset, at)) {
    const from = at;
    const end = behind(/\S+/y, srcset, from);
    // An address may have commas in it, but not at its end.
    let to = end;
    while (srcset[to - 1] === ',') to--;
    const comma = to < end ? end : srcset.indexOf(',', end);
    at = comma === -1 ? srcset.length : comma;
    yield { address: srcset.slice(from, to), size: srcset.slice(end, at).trim() };
  }
}

/** The index behind what a pattern matches here. */
function behind(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const LONGEST_NAME = 200;
const DEEPEST = 20;
/** First names of paths that mean something else here. */
const TAKEN: ReadonlySet<string> = new Set(['svc', 'html']);

/** Folders and name of the file that an address becomes: its path, and for other hosts than that of the page one folder more. */
export function pathFor(url: URL, page: URL): string[] {
  const names = url.pathname
    .split('/')
    .filter((one) => one !== '')
    .map(nameOf);
  if (names.length === 0 || url.pathname.endsWith('/')) names.push('index');
  // Of folders that are too deep the nearest ones.
  const near = names.slice(-DEEPEST);
  const own = url.host === page.host ? near : [nameOf(url.host.replace(':', '-')), ...near];
  const [first = '', ...others] = own;
  return TAKEN.has(first.toLowerCase()) ? [`_${first}`, ...others] : own;
}

/** A segment of a path as the name of one file or folder, whatever it says. */
function nameOf(segment: string): string {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // It is no encoded text, so it means itself.
  }
  // eslint-disable-next-line no-control-regex
  const plain = text.replace(/[\u0000-\u001f\u007f/\\]/g, '_').trim();
  const name = /^\.*$/.test(plain) ? `_${plain}` : plain;
  return shortened(name);
}

/** Its ending stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_NAME) return name;
  const ending = /\.\w{1,10}$/.exec(name)?.[0] ?? '';
  let base = name.slice(0, LONGEST_NAME);
  while (Buffer.byteLength(base + ending) > LONGEST_NAME) base = base.slice(0, -1);
  // Half of a sign is none.
  return base.replace(/[\ud800-\udbff]$/, '') + ending;
}

/** A path of files as it stands in HTML and style sheets. */
export function written(path: readonly string[]): string {
  return `/${path.map((one) => encodeURIComponent(one)).join('/')}`;
}
