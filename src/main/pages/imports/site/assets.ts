/** The files of a page that is imported: fetched, stored, and each given its place, sheets behind what they name (docs/interface/pages.md 8.5). */
import { FilesError, type BroughtFiles, type Placed } from '../../../files/index.js';
import { charsetOf, textIn, type OutboundAnswer, type ScriptThreads } from '../../../scripting/index.js';
import type { boundedBy } from '../read-html.js';
import { pathFor, resolved, written } from './addresses.js';
import { MOST_FILES, type Fetching } from './fetching.js';
import { LONGEST_SHEET, SheetError, urlsIn, withUrls, type CssUrl } from './sheets.js';

export interface ImportParts {
  readonly fetching: Fetching;
  readonly files: BroughtFiles;
  readonly threads: ScriptThreads;
  readonly run: ReturnType<typeof boundedBy>;
}

/** What an import has not got, and why. */
export interface Missing {
  readonly address: string;
  readonly reason: string;
}

interface Sheet {
  readonly css: string;
  readonly urls: readonly CssUrl[];
  /** What addresses in it mean. */
  readonly base: URL;
}

interface Asset {
  /** Without what stands behind `#`. */
  readonly url: URL;
  stored?: Awaited<ReturnType<BroughtFiles['store']>>;
  sheet?: Sheet;
  /** The sheet is being placed: what it names may name it again. */
  isOpen?: boolean;
  /** It is another text than the site has. */
  isChanged?: boolean;
  placed?: Placed;
}

/** Reasons that are told. */
const MOST_MISSING = 1000;
const PAGE = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const CSS = /^\s*text\/css\b/i;
/** Types that browsers run: these are believed by the name and the content alone. */
const ACTIVE = /html|xml|xsl|^\s*(?:multipart|message)\//i;

export class Assets {
  readonly missing: Missing[] = [];
  readonly #all = new Map<string, Asset>();
  #wanted: Asset[] = [];

  constructor(
    private readonly page: URL,
    private readonly parts: ImportParts,
  ) {}

  /** Says that a file is needed. */
  want(url: URL): void {
    const key = keyOf(url);
    if (this.#all.has(key)) return;
    const asset: Asset = { url: new URL(key) };
    if (this.#all.size >= MOST_FILES) {
      // It is not asked for again, and stays where it is.
      this.#missed(asset, `a page is imported with at most ${String(MOST_FILES)} files`);
      return;
    }
    this.#all.set(key, asset);
    this.#wanted.push(asset);
  }

  /** Fetches what is wanted, and what that names; then every file that came has its place. */
  async fetch(): Promise<void> {
    while (this.#wanted.length > 0) {
      const wanted = this.#wanted;
      this.#wanted = [];
      await this.parts.fetching.each(
        wanted,
        ({ url }) => url,
        (asset, answer) => this.#take(asset, answer),
        (asset, why) => this.#missed(asset, why),
      );
    }
    for (const asset of this.#all.values()) {
      if (asset.stored !== undefined) asset.placed = await this.#place(asset, asset.stored);
    }
    for (const asset of this.#all.values()) await this.#placeSheet(asset);
  }

  /** The file that an address has become, if it has. */
  placed(url: URL): Placed | undefined {
    return this.#all.get(keyOf(url))?.placed;
  }

  /** Whether it is another text than the site has. */
  isChanged(url: URL): boolean {
    return this.#all.get(keyOf(url))?.isChanged === true;
  }

  /** All files that are there now, each once. */
  get all(): readonly Placed[] {
    const byId = new Map<string, Placed>();
    for (const { placed } of this.#all.values()) if (placed !== undefined) byId.set(placed.id, placed);
    return [...byId.values()];
  }

  /** What stands in a page or sheet for an address: the path of its file, else the whole address; undefined: what stands there now. */
  instead(address: string, base: URL): string | undefined {
    const url = resolved(address, base);
    if (url === undefined) return undefined;
    const placed = this.placed(url);
    return placed === undefined ? url.href : written(placed.path) + url.hash;
  }

  async #take(asset: Asset, { url, contentType, pieces }: OutboundAnswer): Promise<void> {
    const { threads, run, files } = this.parts;
    if (PAGE.test(contentType)) {
      this.#missed(asset, 'it is a page');
      return;
    }
    const isSheet = CSS.test(contentType) || (url.pathname.toLowerCase().endsWith('.css') && !ACTIVE.test(contentType));
    if (isSheet && sizeOf(pieces) <= LONGEST_SHEET) {
      const css = await textIn([charsetOf(contentType) ?? declared(pieces) ?? 'utf-8', 'utf-8'], pieces);
      const urls = await urlsIn([css], threads, run).then(
        ([found]) => found ?? [],
        (error: unknown) => {
          if (!(error instanceof SheetError)) throw error;
          this.#missed(asset, error.problem);
          return undefined;
        },
      );
      if (urls === undefined) return;
      if (urls.length > 0) {
        asset.sheet = { css, urls, base: url };
        for (const one of urls) {
          const named = resolved(one.address, url);
          if (named !== undefined) this.want(named);
        }
        return;
      }
    }
    const name = ACTIVE.test(contentType) || contentType === '' ? (this.#pathOf(asset).at(-1) ?? '') : '';
    try {
      asset.stored = await files.store(pieces, name, contentType);
    } catch (error) {
      if (!(error instanceof FilesError) || error.status !== 413) throw error;
      this.#missed(asset, 'it is larger than files may be here');
    }
  }

  async #placeSheet(asset: Asset): Promise<void> {
    const { sheet } = asset;
    if (sheet === undefined || asset.placed !== undefined || asset.isOpen === true) return;
    asset.isOpen = true;
    const named = sheet.urls.map(({ address }) => resolved(address, sheet.base)).filter((one) => one !== undefined);
    for (const url of named) {
      const other = this.#all.get(keyOf(url));
      if (other !== undefined) await this.#placeSheet(other);
    }
    // Sheets that import each other in a circle are found where they were.
    const css = withUrls(sheet.css, sheet.urls, ({ address }) => this.instead(address, sheet.base));
    const text = css.replace(/^@charset\s+("[^"]*"|'[^']*')\s*;/i, '');
    const stored = await this.parts.files.store([Buffer.from(text, 'utf8')], '', 'text/css;charset=utf-8');
    asset.placed = await this.#place(asset, stored);
    asset.isChanged = true;
    asset.isOpen = false;
  }

  #place(asset: Asset, stored: Awaited<ReturnType<BroughtFiles['store']>>): Promise<Placed> {
    return this.parts.files.place(stored, this.#pathOf(asset));
  }

  #pathOf({ url }: Asset): string[] {
    return pathFor(url, this.page);
  }

  #missed({ url }: Asset, reason: string): void {
    if (this.missing.length < MOST_MISSING) this.missing.push({ address: url.href, reason });
  }
}

function keyOf(url: URL): string {
  const bare = new URL(url);
  bare.hash = '';
  return bare.href;
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, one) => sum + one.length, 0);
}

/** The charset that a sheet says at its beginning. */
function declared(pieces: readonly Buffer[]): string | undefined {
  return /^@charset "([\w-]{1,40})"/i.exec(pieces[0]?.subarray(0, 80).toString('latin1') ?? '')?.[1];
}
