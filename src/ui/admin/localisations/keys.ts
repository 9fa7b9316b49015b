/** Keys with their texts by language, of what was read page by page. */
import { useEffect, useReducer, useState } from 'react';
import { asRefusal, type RefusedError } from '../../common/request.js';
import { loadPage, type Entry, type Search } from './entries.js';

export interface Key {
  readonly name: string;
  readonly domain: string;
  readonly texts: ReadonlyMap<string, Entry>;
}

/** In the order in which they came. Of several texts of one language the first counts. */
export function keysOf(entries: readonly Entry[]): readonly Key[] {
  const keys = new Map<string, { name: string; domain: string; texts: Map<string, Entry> }>();
  for (const entry of entries) {
    const { name, domain, locale } = entry;
    const id = JSON.stringify([name, domain]);
    const key = keys.get(id) ?? { name, domain, texts: new Map<string, Entry>() };
    keys.set(id, key);
    if (!key.texts.has(locale)) key.texts.set(locale, entry);
  }
  return [...keys.values()];
}

export interface Keys {
  readonly keys: readonly Key[] | undefined;
  readonly hasMore: boolean;
  readonly problem: RefusedError | undefined;
  readonly more: () => void;
  /** Reads anew what is shown. */
  readonly again: () => void;
  /** Shows an entry as it is now; without `entry` it is gone. */
  readonly patch: (id: string, entry: Entry | undefined) => void;
}

/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 200;

interface Read {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}

export function useKeys(search: Search): Keys {
  const [pages, setPages] = useState(1);
  const [turn, again] = useReducer((n: number) => n + 1, 0);
  const [shown, setShown] = useState<Read>();
  const [problem, setProblem] = useState<RefusedError>();
  const wanted = JSON.stringify(search);
  useEffect(() => {
    setPages(1);
  }, [wanted]);
  useEffect(() => {
    const aborter = new AbortController();
    const load = async (): Promise<void> => {
      const entries: Entry[] = [];
      let hasMore = true;
      let seen = 0;
      for (let page = 1; page <= pages && hasMore; page++) {
        const next = await loadPage(search, page, aborter.signal);
        entries.push(...next.entries);
        seen += next.read;
        hasMore = next.read > 0 && (next.count === undefined || next.count > seen);
      }
      setShown({ entries, hasMore });
      setProblem(undefined);
    };
    const timer = setTimeout(() => {
      load().catch((error: unknown) => {
        if (!aborter.signal.aborted) setProblem(asRefusal(error));
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [wanted, pages, turn]);
  const keys = shown === undefined ? undefined : keysOf(shown.entries);
  // Texts of the last key may be on the next page.
  const last = shown?.hasMore === true && search.within === 'keys' ? keys?.at(-1)?.name : undefined;
  const whole = keys?.filter(({ name }) => name !== last);
  return {
    keys: whole?.length === 0 ? keys : whole,
    hasMore: shown?.hasMore ?? false,
    problem,
    more: () => {
      setPages(pages + 1);
    },
    again,
    patch: (id, entry) => {
      setShown((before) => {
        if (before === undefined) return before;
        const rest = before.entries.filter((one) => one.id !== id);
        if (entry === undefined) return { ...before, entries: rest };
        const place = before.entries.findIndex((one) => one.id === id);
        return {
          ...before,
          entries: place === -1 ? [...rest, entry] : before.entries.with(place, entry),
        };
      });
    },
  };
}
