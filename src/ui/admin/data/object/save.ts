/** Writes to one object on the condition that nobody else has written the same (docs/interface/rest.md 4.6). */
import { RefusedError } from '../../../common/request.js';
import { change, readState, type Stated } from '../../server/rest.js';
import type { Column } from '../columns.js';
import { isSame, valueOf, type Draft } from '../drafts.js';
import { saveLinks } from './links.js';
import { MOST_RELATED } from '../values.js';

/** Somebody writes other properties again and again: one of so many tries comes through, or the last refusal is shown. */
const MOST_TRIES = 20;
const CHANGED = 412;

export interface Edit {
  readonly column: Column;
  readonly draft: Draft;
}

export const pathOf = (type: string, id: string): string => `${encodeURIComponent(type)}/${id}`;

const isMany = ({ column }: Edit): boolean => column.relation?.many === true;

/** Of lists of related objects only so many as are shown. */
export const rangeOf = (columns: readonly Column[]): string =>
  columns
    .filter(({ relation }) => relation?.many === true)
    .map(({ name }) => `${name}=0-${String(MOST_RELATED + 1)}`)
    .join(';');

/** An object with these columns, and the tag of its state. */
export function readObject(type: string, id: string, columns: readonly Column[]): Promise<Stated> {
  return readState(`${pathOf(type, id)}/all`, { _outputNestingDepth: 1 }, rangeOf(columns));
}

/** What came of it: `conflicts` are the names of properties that somebody else has changed; then nothing was written, and `now` is what there is. */
export interface Outcome {
  readonly conflicts: readonly string[];
  readonly now: Stated;
}

/**
 * Writes what was edited when these properties are as `known`, whatever has become of others. Links are no part of the tag of an object:
 * a single one is looked at before, several are added and taken away one by one.
 */
export async function save(type: string, known: Stated, edits: readonly Edit[]): Promise<Outcome> {
  const path = pathOf(type, known.entity.id);
  const columns = edits.map(({ column }) => column);
  const whole = edits.filter((edit) => !isMany(edit));
  const values = Object.fromEntries(whole.map(({ column, draft }) => [column.name, valueOf(column, draft)?.value]));
  let seen = known;
  const look = async (): Promise<readonly string[]> => {
    const now = await readObject(type, known.entity.id, columns);
    const before = seen.entity;
    seen = now;
    return whole
      .filter(({ column }) => !isSame(column, now.entity[column.name], before[column.name]))
      .map(({ column: { name } }) => name);
  };
  if (whole.some(({ column }) => column.kind === 'related')) {
    const conflicts = await look();
    if (conflicts.length > 0) return { conflicts, now: seen };
  }
  for (let tries = 1; whole.length > 0; tries++) {
    try {
      await change(path, values, seen.state === undefined ? {} : { 'If-Match': seen.state });
      break;
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== CHANGED || tries === MOST_TRIES) throw error;
      const conflicts = await look();
      if (conflicts.length > 0) return { conflicts, now: seen };
    }
  }
  for (const { column, draft } of edits.filter(isMany)) await saveLinks(path, known.entity.id, column, draft);
  return { conflicts: [], now: await readObject(type, known.entity.id, columns) };
}
