/** What lies in a folder, or was found: pages of lists one behind the other, read as they are looked at. */
import { useEffect, useMemo, useReducer, useRef } from 'react';
import { asRefusal, type RefusedError } from '../../../common/request.js';
import { list, type Entity, type Listed, type Query } from '../../server/rest.js';
import { ENTRY_KEYS, entryOf, type Entry } from '../tree-server.js';

const PAGE = 100;
/** Pages of a list that are kept; the one that was looked at longest ago goes first. */
const KEPT = 60;
/** So long a place must be looked at before it is read: who drags the scroll bar passes thousands. */
const STILL_MS = 60;

/** A list of the server. */
export interface Source {
  readonly path: string;
  readonly query: Query;
  /** Whether the paths are shown: the server computes them. */
  readonly withPath?: boolean;
}

/** A page of a full-text search says which words it has found, as HTML with `mark` alone. */
interface Found extends Listed<Entity> {
  readonly matches?: readonly {
    readonly id: string;
    readonly snippets: Readonly<Record<string, readonly string[]>>;
  }[];
}

export interface Listing {
  /** Undefined until it is known. */
  readonly count: number | undefined;
  readonly problem: RefusedError | undefined;
  readonly at: (index: number) => Entry | undefined;
  /** Pieces of the text that the search has found in a file. */
  readonly snippets: (id: string) => readonly string[];
  /** Says which places are looked at. */
  readonly look: (first: number, last: number) => void;
  /** Reads anew what is looked at; what is shown stays until then. */
  readonly again: () => void;
}

class Pages {
  readonly #pages = new Map<number, readonly Entry[]>();
  readonly #fresh = new Set<number>();
  readonly #running = new Map<number, AbortController>();
  readonly snippets = new Map<string, readonly string[]>();
  count: number | undefined;
  /** Whether the count is as new as the pages. */
  #counted = false;
  problem: RefusedError | undefined;

  constructor(
    private readonly source: Source,
    private readonly changed: () => void,
  ) {}

  at(index: number): Entry | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  look(first: number, last: number): void {
    const from = Math.floor(Math.max(0, first) / PAGE);
    const to = Math.floor(Math.max(0, last) / PAGE);
    // What was passed by is not waited for.
    for (const [page, running] of this.#running) if (page < from || page > to) running.abort();
    for (let page = from; page <= to; page++) void this.#read(page);
  }

  forget(): void {
    this.end();
    this.#fresh.clear();
    this.#counted = false;
  }

  end(): void {
    for (const running of this.#running.values()) running.abort();
    this.#running.clear();
  }

  async #read(page: number): Promise<void> {
    if (this.#fresh.has(page) || this.#running.has(page)) return;
    const running = new AbortController();
    this.#running.set(page, running);
    try {
      const { path, query, withPath = false } = this.source;
      const found: Found = await list(
        path,
        { ...query, _page: page + 1, _pageSize: PAGE, _forceResultCount: this.#counted ? undefined : 1 },
        { properties: withPath ? [...ENTRY_KEYS, 'path'] : ENTRY_KEYS, signal: running.signal },
      );
      this.#pages.delete(page);
      this.#pages.set(page, found.result.map(entryOf));
      this.#fresh.add(page);
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= KEPT) break;
        this.#pages.delete(old);
        this.#fresh.delete(old);
      }
      for (const { id, snippets } of found.matches ?? []) this.snippets.set(id, Object.values(snippets).flat());
      // Counted once: it may be dear, and is left out of other answers where there are very many.
      this.count = found.result_count ?? this.count ?? found.result.length;
      this.#counted = true;
      this.problem = undefined;
    } catch (error) {
      if (running.signal.aborted) return;
      this.problem = asRefusal(error);
    } finally {
      if (this.#running.get(page) === running) this.#running.delete(page);
      this.changed();
    }
  }
}

/** The lists one behind the other, as one. `sources` are compared by their JSON. */
export function useListing(sources: readonly Source[]): Listing {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const key = JSON.stringify(sources);
  const parts = useMemo(() => sources.map((source) => new Pages(source, redraw)), [key]);
  const looked = useRef<readonly [number, number]>([0, 0]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const look = ([first, last]: readonly [number, number]): void => {
    let from = 0;
    for (const part of parts) {
      const count = part.count;
      // Where it ends is known when its first page is there.
      if (count === undefined) part.look(0, 0);
      else if (count === 0 || (last >= from && first < from + count))
        part.look(Math.max(0, first - from), Math.max(0, Math.min(count - 1, last - from)));
      from += count ?? 0;
    }
  };
  useEffect(() => {
    look(looked.current);
    return () => {
      for (const part of parts) part.end();
    };
  }, [parts]);
  const known = parts.every(({ count }) => count !== undefined);
  return {
    count: known ? parts.reduce((sum, { count = 0 }) => sum + count, 0) : undefined,
    problem: parts.find(({ problem }) => problem !== undefined)?.problem,
    at(index) {
      let from = 0;
      for (const part of parts) {
        const count = part.count ?? 0;
        if (index < from + count) return part.at(index - from);
        from += count;
      }
      return undefined;
    },
    snippets: (id) => parts.flatMap((part) => part.snippets.get(id) ?? []),
    look(first, last) {
      looked.current = [first, last];
      clearTimeout(timer.current);
      timer.current = setTimeout(
        () => {
          look(looked.current);
        },
        known ? STILL_MS : 0,
      );
    },
    again() {
      for (const part of parts) part.forget();
      // Both: one that was empty may have something now.
      for (const part of parts) part.look(0, 0);
      look(looked.current);
    },
  };
}
