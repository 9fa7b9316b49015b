/** The rows of a table: pages of a list, read as they are looked at, the last ones kept. */
import { useEffect, useMemo, useReducer, useRef } from 'react';
import { asRefusal, type RefusedError } from '../../../common/request.js';
import { list, type Entity, type Query } from '../../server/rest.js';
import type { Column } from '../columns.js';
import { rangeOf } from '../object/save.js';

const PAGE = 100;
/** Pages that are kept; the one that was looked at longest ago goes first. */
const KEPT = 60;
/** So long a place must be looked at before it is read: who drags the scroll bar passes thousands. */
const STILL_MS = 60;

export interface Rows {
  /** Undefined until it is known. */
  readonly count: number | undefined;
  readonly problem: RefusedError | undefined;
  /** The object at a place; undefined: it is not there yet. */
  readonly at: (index: number) => Entity | undefined;
  /** Says which places are looked at. */
  readonly look: (first: number, last: number) => void;
  /** Shows other values of an object, until it is read anew. */
  readonly patch: (id: string, values: Readonly<Record<string, unknown>>) => void;
  /** Reads anew what is looked at. */
  readonly again: () => void;
}

class Source {
  readonly pages = new Map<number, readonly Entity[]>();
  readonly #running = new Map<number, AbortController>();
  count: number | undefined;
  problem: RefusedError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wanted: readonly [number, number] = [0, 0];

  constructor(
    private readonly type: string,
    private readonly query: Query,
    private readonly columns: readonly Column[],
    private readonly changed: () => void,
  ) {}

  at(index: number): Entity | undefined {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  look(first: number, last: number): void {
    const from = Math.floor(Math.max(0, first) / PAGE);
    const to = Math.floor(Math.max(0, last) / PAGE);
    if (from === this.#wanted[0] && to === this.#wanted[1] && this.#timer !== undefined) return;
    this.#wanted = [from, to];
    // What was passed by is not waited for.
    for (const [page, running] of this.#running) if (page < from || page > to) running.abort();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        for (let page = from; page <= to; page++) void this.#read(page);
      },
      this.count === undefined ? 0 : STILL_MS,
    );
  }

  end(): void {
    clearTimeout(this.#timer);
    for (const running of this.#running.values()) running.abort();
  }

  async #read(page: number): Promise<void> {
    if (this.pages.has(page) || this.#running.has(page)) return;
    const running = new AbortController();
    this.#running.set(page, running);
    try {
      const { result, result_count: count } = await list(
        `${encodeURIComponent(this.type)}/all`,
        {
          ...this.query,
          _page: page + 1,
          _pageSize: PAGE,
          _outputNestingDepth: 1,
          // Counted once: it may be dear.
          _forceResultCount: this.count === undefined ? 1 : undefined,
        },
        {
          properties: [...new Set(['id', 'type', 'name', ...this.columns.map(({ name }) => name)])],
          range: rangeOf(this.columns),
          signal: running.signal,
        },
      );
      this.pages.delete(page);
      this.pages.set(page, result);
      if (this.pages.size > KEPT)
        for (const old of this.pages.keys()) {
          this.pages.delete(old);
          break;
        }
      this.count ??= count ?? result.length;
      this.problem = undefined;
    } catch (error) {
      if (running.signal.aborted) return;
      this.problem = asRefusal(error);
    } finally {
      this.#running.delete(page);
      this.changed();
    }
  }
}

/** `query`: filters and order; `columns`: what is shown. Both are compared by their JSON. */
export function useRows(type: string, query: Query, columns: readonly Column[]): Rows {
  const [turn, again] = useReducer((n: number) => n + 1, 0);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const key = JSON.stringify([type, query, columns.map(({ name }) => name).sort(), turn]);
  const source = useMemo(() => new Source(type, query, columns, redraw), [key]);
  const last = useRef<readonly [number, number]>([0, 0]);
  useEffect(() => {
    source.look(...last.current);
    return () => {
      source.end();
    };
  }, [source]);
  return {
    count: source.count,
    problem: source.problem,
    at: (index) => source.at(index),
    look(first, end) {
      last.current = [first, end];
      source.look(first, end);
    },
    patch(id, values) {
      for (const [page, rows] of source.pages) {
        const place = rows.findIndex((row) => row.id === id);
        const row = rows[place];
        if (row !== undefined) source.pages.set(page, rows.with(place, { ...row, ...values }));
      }
      redraw();
    },
    again,
  };
}
