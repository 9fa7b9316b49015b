/** Texts of applications by key, domain and language (docs/interface/builtin-types.md 7, script-runtime.md 8.10). */
import { send } from '../../common/request.js';
import { exactly, isPlain } from '../server/named.js';
import { create, list, remove, restPath, type Entity, type Query } from '../server/rest.js';
import { saveValues } from '../server/save-over.js';

/** One text. */
export interface Entry {
  readonly id: string;
  readonly name: string;
  /** Empty: none. */
  readonly domain: string;
  readonly locale: string;
  readonly text: string;
}

export interface Search {
  readonly text: string;
  readonly within: 'keys' | 'texts';
  readonly domain: string;
}

export interface Page {
  readonly entries: readonly Entry[];
  /** How many fit in all; absent: more than the server counts. */
  readonly count: number | undefined;
  /** How many of them this page was. */
  readonly read: number;
}

export const PAGE_SIZE = 500;
/** Keys that are asked for at once. */
const AT_ONCE = 50;
const PROPERTIES = ['id', 'type', 'name', 'domain', 'locale', 'localizedName'];
const SORTED = { _sort: ['name', 'domain', 'locale'] } as const;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const entryOf = (entity: Entity): Entry => ({
  id: entity.id,
  name: textOf(entity.name),
  domain: textOf(entity['domain']),
  locale: textOf(entity['locale']),
  text: textOf(entity['localizedName']),
});

async function found(query: Query, signal?: AbortSignal): Promise<Page> {
  const { result, result_count: count } = await list('Localization', query, {
    properties: PROPERTIES,
    ...(signal === undefined ? {} : { signal }),
  });
  return { entries: result.map(entryOf), count, read: result.length };
}

/** A page of texts that fit, sorted by key, from 1. Where texts are searched, those of the same keys in other languages come with them. */
export async function loadPage(search: Search, page: number, signal?: AbortSignal): Promise<Page> {
  const { text, within, domain } = search;
  const filters = {
    ...(text === '' ? {} : { [within === 'keys' ? 'name' : 'localizedName']: text }),
    ...(domain === '' ? {} : { domain }),
  };
  const first = await found({ ...filters, ...SORTED, _inexact: 1, _page: page, _pageSize: PAGE_SIZE }, signal);
  if (text === '' || within === 'keys') return first;
  const names = [...new Set(first.entries.map(({ name }) => name))];
  const entries = (await allOf(names, signal)).filter((entry) => domain === '' || entry.domain.includes(domain));
  return { ...first, entries };
}

/** All texts of these keys. */
export async function allOf(names: readonly string[], signal?: AbortSignal): Promise<readonly Entry[]> {
  const wanted = new Set(names);
  // In a search these characters stand between values: such keys are found by a part.
  const plain = names.filter((name) => name !== '' && isPlain(name));
  const others = names.filter((name) => !isPlain(name));
  const entries: Entry[] = [];
  const add = async (query: Query): Promise<void> => {
    for (let page = 1; ; page++) {
      const next = await found({ ...query, ...SORTED, _page: page, _pageSize: PAGE_SIZE }, signal);
      entries.push(...next.entries.filter(({ name }) => wanted.has(name)));
      if (next.read < PAGE_SIZE) return;
    }
  };
  for (let i = 0; i < plain.length; i += AT_ONCE) await add({ name: plain.slice(i, i + AT_ONCE).join(';') });
  for (const name of others) await add(exactly('name', name));
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}

/** The text of a key in a language, where there is one. */
export async function findEntry({ name, domain, locale }: Omit<Entry, 'id' | 'text'>): Promise<Entry | undefined> {
  return (await allOf([name])).find((entry) => entry.domain === domain && entry.locale === locale);
}

const valuesOf = ({ name, domain, locale, text }: Omit<Entry, 'id'>) => ({
  name,
  domain: domain === '' ? null : domain,
  locale,
  localizedName: text,
});

export const createEntry = (entry: Omit<Entry, 'id'>): Promise<string> => create('Localization', valuesOf(entry));

/** Writes the text of an entry over what it was known as. Returns what somebody else has written meanwhile; then nothing was written. */
export async function saveText(known: Entry, text: string): Promise<string | undefined> {
  const { met } = await saveValues({
    path: `Localization/${encodeURIComponent(known.id)}`,
    base: { localizedName: known.text },
    changed: { localizedName: text },
    properties: PROPERTIES,
  });
  return met[0] === undefined ? undefined : textOf(met[0].theirs);
}

export const removeEntry = (id: string): Promise<void> => remove(`Localization/${encodeURIComponent(id)}`);

/** All of them, or none (docs/interface/rest.md 3.4). */
export async function changeMany(values: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  if (values.length > 0) await send(restPath('Localization'), { method: 'PATCH', json: values });
}

/** All of them, or none. */
export async function createMany(entries: readonly Omit<Entry, 'id'>[]): Promise<void> {
  if (entries.length > 0) await send(restPath('Localization'), { method: 'POST', json: entries.map(valuesOf) });
}
