/**
 * Values of an object that are edited together. What was typed stays while another object is looked at; before it is saved the object is
 * read again, and what somebody else has written meanwhile is told.
 */
import { useEffect, useRef, useState } from 'react';
import { useWork, type Work } from '../../../common/work.js';
import { change, read, type Entity } from '../../server/rest.js';
import { valuesOf } from '../page/nodes.js';

export type Value = string | number | boolean | null;
export type Values = Readonly<Record<string, Value>>;

/** What was typed and not saved, by the path of the object and the form. */
const kept = new Map<string, Values>();

const same = (a: unknown, b: unknown): boolean => (a ?? '') === (b ?? '') || (a ?? false) === (b ?? false);

function picked(entity: Entity, keys: readonly string[] | undefined): Values {
  const entries = Object.entries(entity).filter(([key, value]) =>
    keys === undefined ? typeof value !== 'object' || value === null : keys.includes(key),
  );
  // A related object is edited by its id.
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'object' && value !== null ? (value as Entity).id : value]),
  ) as Values;
}

export interface Draft extends Work {
  /** As they are shown: what was typed, else what is stored. Absent until they are read. */
  readonly values: Values | undefined;
  readonly set: (key: string, value: Value) => void;
  readonly changed: readonly string[];
  /** What somebody else has written into a field that was changed here. */
  readonly theirs: Values;
  readonly save: () => Promise<void>;
  readonly drop: () => void;
}

/**
 * `path`: of the object, below `rest/`. `keys`: what is read; absent: all values at the path, which is that of a view then.
 * `revision`: read again when it is another one.
 */
export function useDraft(input: {
  readonly path: string;
  readonly form: string;
  readonly keys?: readonly string[];
  readonly view?: string;
  readonly revision: number;
  readonly onSaved: () => void;
}): Draft {
  const { path, form, keys, view, revision, onSaved } = input;
  const place = `${path} ${form}`;
  const [known, setKnown] = useState<Values>();
  const [typed, setTyped] = useState<Values>(kept.get(place) ?? {});
  const [theirs, setTheirs] = useState<Values>({});
  const { busy, problem, run } = useWork();
  const look = async (): Promise<Values> =>
    picked(
      keys === undefined
        ? await read<Entity>(`${path}/${view ?? 'all'}`, { _outputNestingDepth: 1 })
        : await valuesOf(path, keys),
      keys,
    );
  const latest = useRef({ known, typed });
  latest.current = { known, typed };
  useEffect(() => {
    let stale = false;
    void run(async () => {
      const values = await look();
      if (stale) return;
      const { known: before, typed: own } = latest.current;
      const others = Object.keys(own).filter(
        (key) => before !== undefined && !same(values[key], before[key]) && !same(values[key], own[key]),
      );
      if (others.length > 0) setTheirs(Object.fromEntries(others.map((key) => [key, values[key] ?? null])));
      setKnown(values);
    });
    return () => {
      stale = true;
    };
  }, [path, revision]);
  const keep = (next: Values): void => {
    setTyped(next);
    if (Object.keys(next).length === 0) kept.delete(place);
    else kept.set(place, next);
  };
  const changed = Object.keys(typed).filter((key) => !same(typed[key], known?.[key]));
  const save = async (): Promise<void> => {
    await run(async () => {
      const now = await look();
      const others = changed.filter((key) => !same(now[key], known?.[key]) && !same(now[key], typed[key]));
      setKnown(now);
      setTheirs(Object.fromEntries(others.map((key) => [key, now[key] ?? null])));
      if (others.length > 0) return;
      await change(path, Object.fromEntries(changed.map((key) => [key, typed[key] ?? null])));
      setKnown({ ...now, ...typed });
      setTheirs({});
      keep({});
      onSaved();
    });
  };
  return {
    busy,
    problem,
    run,
    values: known === undefined ? undefined : { ...known, ...typed },
    set: (key, value) => {
      keep({ ...typed, [key]: value });
    },
    changed,
    theirs,
    save,
    drop: () => {
      setTheirs({});
      keep({});
    },
  };
}
