/** Looks for a text in all code, kind by kind; the server looks, and answers pages. */
import { fewAtOnce } from '../server/few-at-once.js';
import { partOf } from '../server/named.js';
import { list, type Entity } from '../server/rest.js';
import { KINDS, titleOf, type Kind, type Piece } from './kinds.js';

const PAGE = 20;
const MOST_LINES = 3;
const MOST_LINE = 200;

export interface FoundLine {
  readonly line: number;
  readonly text: string;
}

export interface Found {
  readonly piece: Piece;
  readonly title: string;
  readonly kind: Kind;
  readonly lines: readonly FoundLine[];
}

export interface FoundPage {
  readonly found: readonly Found[];
  /** What is still to be asked: kinds, and which of their pages; empty: that was all. */
  readonly rest: readonly Asked[];
}

export interface Asked {
  readonly kind: Kind;
  readonly page: number;
}

export const everything: readonly Asked[] = KINDS.map((kind) => ({ kind, page: 1 }));

/** The next page of each kind that has one. */
export async function search(text: string, asked: readonly Asked[], signal: AbortSignal): Promise<FoundPage> {
  const part = partOf(text);
  if (part.trim() === '') return { found: [], rest: [] };
  const pages = await fewAtOnce(asked, async ({ kind, page }) => {
    const { type, key, names } = kind;
    const { result } = await list(
      type,
      { [key]: part, _inexact: 1, _sort: 'name', _pageSize: PAGE, _page: page, _disableSoftLimit: 1 },
      { properties: ['id', 'type', 'name', key, ...names], signal },
    );
    const more: Asked | undefined = result.length < PAGE ? undefined : { kind, page: page + 1 };
    return { found: result.flatMap((one) => foundIn(kind, one, text)), more };
  });
  return {
    found: pages.flatMap(({ found }) => found),
    rest: pages.flatMap(({ more }) => (more === undefined ? [] : [more])),
  };
}

function foundIn(kind: Kind, object: Entity, text: string): readonly Found[] {
  const source = object[kind.key];
  const lines = typeof source === 'string' ? linesWith(source, text) : [];
  if (lines.length === 0) return [];
  return [{ piece: { type: kind.type, id: object.id, key: kind.key }, title: titleOf(kind, object), kind, lines }];
}

/** The first lines of a source that have the text, in any case of letters. */
export function linesWith(source: string, text: string): readonly FoundLine[] {
  const wanted = text.toLowerCase();
  const found: FoundLine[] = [];
  const lines = source.split('\n');
  for (const [i, line] of lines.entries()) {
    const at = line.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    const from = Math.max(0, at - MOST_LINE / 4);
    found.push({ line: i + 1, text: line.slice(from, from + MOST_LINE).trim() });
    if (found.length === MOST_LINES) break;
  }
  return found;
}
