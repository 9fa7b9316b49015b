/**
 * Saves what was edited over what was read: the rule of all areas for two who edit (docs/interface/rest.md 4.6, admin-ui.md 4.3). A write has the
 * state that was read as its condition. When somebody else was quicker, what is there now is compared with what was read: what both have changed
 * is told and nothing is written; what only others have changed stays theirs, and the write is tried again over it.
 */
import { RefusedError } from '../../common/request.js';
import { change, readState, type Entity } from './rest.js';

/** Somebody writes other properties again and again: one of so many tries comes through, or the last refusal is shown. */
const MOST_TRIES = 20;
const CHANGED = 412;

export interface Steps<S, C> {
  /** Reads what there is now, with its tag. */
  readonly look: () => Promise<S>;
  /** What was edited, and is another one `now` than it was `before`. */
  readonly met: (now: S, before: S) => readonly C[];
  /** Writes on the condition that `seen` is what there is. */
  readonly write: (seen: S) => Promise<void>;
  /** What was read has no tag, or the tag does not tell of all that is written (links): it is looked at before the first try. */
  readonly looksFirst: boolean;
}

/** What came of it. `met` is empty: it was written. Else nothing was, and `seen` is what there is now: who saves over that replaces it. */
export interface Saved<S, C> {
  readonly met: readonly C[];
  readonly seen: S;
}

/** Throws `RefusedError` for everything but another state. */
export async function saveOver<S, C>(known: S, { look, met, write, looksFirst }: Steps<S, C>): Promise<Saved<S, C>> {
  let seen = known;
  const lookAgain = async (): Promise<readonly C[]> => {
    const now = await look();
    const found = met(now, seen);
    seen = now;
    return found;
  };
  if (looksFirst) {
    const found = await lookAgain();
    if (found.length > 0) return { met: found, seen };
  }
  for (let tries = 1; ; tries++) {
    try {
      await write(seen);
      return { met: [], seen };
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== CHANGED || tries === MOST_TRIES) throw error;
      const found = await lookAgain();
      if (found.length > 0) return { met: found, seen };
    }
  }
}

/** The condition of a write that there is nothing newer than a state; a state without a tag has none. */
export const onlyOver = (state: string | undefined): Readonly<Record<string, string>> =>
  state === undefined || state === '' ? {} : { 'If-Match': state };

export type Values = Readonly<Record<string, unknown>>;

/** What somebody else has written into a property that was edited. */
export interface Met {
  readonly key: string;
  readonly theirs: unknown;
  /** Id of the user who has changed the object last, and when; absent: not known. */
  readonly by?: string;
  readonly at?: string;
}

const plain = (value: unknown): unknown => (value === '' || value === false ? null : (value ?? null));

/** Whether two values are the same to who edits them: absent, null, an empty text and an empty tick are. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(plain(a)) === JSON.stringify(plain(b));

/** What was edited of an object, and what it was like. */
export interface Edit {
  /** `<Type>/<id>`. */
  readonly path: string;
  /** As they were when the editing began. */
  readonly base: Values;
  readonly changed: Values;
  /** The values of the form, of an object as it is read; absent: as they are. */
  readonly valuesOf?: (entity: Entity) => Values;
  /** What is sent, of what was changed; absent: as it is. */
  readonly inputOf?: (changed: Values) => Values;
  /** What is read of the object; absent: the view `all`. */
  readonly properties?: readonly string[];
  /** What is done in the place of writing what was changed, on a condition (headers). */
  readonly write?: (condition: Readonly<Record<string, string>>) => Promise<void>;
}

const LAST = ['lastModifiedBy', 'lastModifiedDate'] as const;

/** Saves the values of a form. Returns what both have changed (then nothing was written), and all values as they are now. */
export async function saveValues(edit: Edit): Promise<{ readonly met: readonly Met[]; readonly now: Values }> {
  const { path, base, changed, valuesOf = (entity) => entity, inputOf = (values) => values, properties } = edit;
  const { write = (condition) => change(path, inputOf(changed), condition) } = edit;
  interface Seen {
    readonly values: Values;
    readonly state: string | undefined;
    readonly last?: Pick<Met, 'by' | 'at'>;
  }
  const look = async (): Promise<Seen> => {
    const { entity, state } = await readState(
      `${path}/all`,
      { _outputNestingDepth: 1 },
      properties === undefined ? {} : { properties: [...properties, ...LAST] },
    );
    const [by, at] = LAST.map((key) => entity[key]);
    const last = { ...(typeof by === 'string' ? { by } : {}), ...(typeof at === 'string' ? { at } : {}) };
    return { values: valuesOf(entity), state, last };
  };
  const { met, seen } = await saveOver<Seen, Met>(
    { values: base, state: undefined },
    {
      look,
      met: (now, before) =>
        Object.keys(changed)
          .filter((key) => !isSame(now.values[key], before.values[key]) && !isSame(now.values[key], changed[key]))
          .map((key) => ({ key, theirs: now.values[key], ...now.last })),
      write: ({ state }) => write(onlyOver(state)),
      // Lists, from which forms are opened, tell no tags.
      looksFirst: true,
    },
  );
  return { met, now: met.length === 0 ? { ...seen.values, ...changed } : seen.values };
}

/** Changes an object by what it is now, such as a bit of a number; `decide`: what is written. Returns it as it is then. */
export async function changeNow<T extends object>(
  path: string,
  properties: readonly string[],
  decide: (now: T) => Readonly<Partial<T>>,
): Promise<T> {
  const look = async (): Promise<{ readonly now: T; readonly state: string | undefined }> => {
    const { entity, state } = await readState(`${path}/all`, {}, { properties });
    return { now: entity as unknown as T, state };
  };
  const { seen } = await saveOver(await look(), {
    look,
    met: () => [],
    write: ({ now, state }) => change(path, { ...decide(now) }, onlyOver(state)),
    looksFirst: false,
  });
  return { ...seen.now, ...decide(seen.now) };
}
