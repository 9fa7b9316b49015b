/** Writes to one object on the condition that nobody else has written the same (docs/interface/rest.md 4.6). */
import { change, readState, type Stated } from '../../server/rest.js';
import { onlyOver, saveOver } from '../../server/save-over.js';
import type { Column } from '../columns.js';
import { isSame, valueOf, type Draft } from '../drafts.js';
import { saveLinks } from './links.js';
import { MOST_RELATED } from '../values.js';

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
  return readState(`${pathOf(type, id)}/all`, { _outputNestingDepth: 1 }, { range: rangeOf(columns) });
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
  if (whole.length > 0) {
    const { met, seen } = await saveOver<Stated, string>(known, {
      look: () => readObject(type, known.entity.id, columns),
      met: (now, before) =>
        whole
          .filter(({ column }) => !isSame(column, now.entity[column.name], before.entity[column.name]))
          .map(({ column: { name } }) => name),
      write: ({ state }) => change(path, values, onlyOver(state)),
      looksFirst: whole.some(({ column }) => column.kind === 'related'),
    });
    if (met.length > 0) return { conflicts: met, now: seen };
  }
  for (const { column, draft } of edits.filter(isMany)) await saveLinks(path, known.entity.id, column, draft);
  return { conflicts: [], now: await readObject(type, known.entity.id, columns) };
}
