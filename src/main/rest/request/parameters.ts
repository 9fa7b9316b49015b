/** The query string: reserved parameters (contract, Object access; docs/interface/rest.md 2.3) and filters. */
import { RestError } from '../errors.js';

/** Parameters that are no filters, without their underscore. One row is all a new one needs. */
const RESERVED = [
  'page',
  'pageSize',
  'sort',
  'order',
  'inexact',
  'loose',
  'outputNestingDepth',
  'outputReductionDepth',
  'serializeNulls',
  'forceResultCount',
  'disableSoftLimit',
  'parallelizeJsonOutput',
  'batchSize',
  'locale',
  'latlon',
  'distance',
  'location',
  'street',
  'house',
  'postalCode',
  'city',
  'state',
  'country',
  'edit',
  'filename',
  'as-data-url',
  'debugLoggingEnabled',
  'search',
  'searchIn',
  'snippets',
] as const;
export type ReservedName = (typeof RESERVED)[number];

/** Accepted without underscore in both modes. */
const PLAIN: ReadonlySet<string> = new Set(['logPermissionResolution']);
const UNDERSCORED: ReadonlyMap<string, ReservedName> = new Map(RESERVED.map((n) => [`_${n}`, n]));
const LEGACY: ReadonlyMap<string, ReservedName> = new Map(RESERVED.map((n) => [n, n]));
const MAX_PARAMETERS = 1000;

export class Parameters {
  private readonly reserved = new Map<ReservedName, string[]>();
  /** Everything else, in order: search keys and their texts. */
  readonly filters: (readonly [string, string])[] = [];
  readonly logPermissionResolution: boolean = false;

  /** Parses a raw query string. Throws `RestError` 400 for bad escapes and for too many parameters. */
  constructor(
    query: string,
    private readonly legacyNames: boolean,
  ) {
    if (query === '') return;
    const names = legacyNames ? LEGACY : UNDERSCORED;
    const parts = query.split('&');
    if (parts.length > MAX_PARAMETERS)
      throw new RestError(400, `Too many query parameters: at most ${String(MAX_PARAMETERS)} are allowed.`);
    for (const part of parts) {
      if (part === '') continue;
      const at = part.indexOf('=');
      const name = decode(at === -1 ? part : part.slice(0, at));
      const value = at === -1 ? '' : decode(part.slice(at + 1));
      const reserved = names.get(name);
      if (reserved !== undefined) {
        const list = this.reserved.get(reserved);
        if (list === undefined) this.reserved.set(reserved, [value]);
        else list.push(value);
      } else if (PLAIN.has(name)) {
        this.logPermissionResolution = value === 'true' || value === '';
      } else {
        this.filters.push([name, value]);
      }
    }
  }

  /** What clients call it. */
  nameOf(name: ReservedName): string {
    return this.legacyNames ? name : `_${name}`;
  }
  /** Nothing else is asked for: neither other parameters nor filters. */
  hasOnly(names: ReadonlySet<ReservedName>): boolean {
    if (this.filters.length > 0 || this.logPermissionResolution) return false;
    for (const name of this.reserved.keys()) if (!names.has(name)) return false;
    return true;
  }
  has(name: ReservedName): boolean {
    return this.reserved.has(name);
  }
  /** First value; undefined when absent. */
  text(name: ReservedName): string | undefined {
    return this.reserved.get(name)?.[0];
  }
  all(name: ReservedName): readonly string[] {
    return this.reserved.get(name) ?? [];
  }
  /** Anything that is no integer means the default (docs/interface/rest.md 2.3). */
  integer(name: ReservedName, fallback: number): number {
    const value = this.text(name)?.trim();
    if (value === undefined || !/^[+-]?\d{1,15}$/.test(value)) return fallback;
    return Number(value);
  }
  /** `true` or `1`, in any case. */
  flag(name: ReservedName): boolean {
    const value = this.text(name)?.toLowerCase();
    return value === 'true' || value === '1';
  }
  get inexact(): boolean {
    return this.flag('inexact') || this.flag('loose');
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    throw new RestError(400, `The query string has a broken percent escape near "${text.slice(0, 40)}".`);
  }
}
