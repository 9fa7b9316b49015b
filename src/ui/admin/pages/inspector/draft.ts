/**
 * Values of an object that are edited together. What was typed stays while another object is looked at; before it is saved the object is
 * read again, and what somebody else has written meanwhile is told.
 */
import { useEffect, useRef, useState } from 'react';
import { useWork, type Work } from '../../../common/work.js';
import { KeptDrafts } from '../../parts/kept-drafts.js';
import { read, type Entity } from '../../server/rest.js';
import { isSame, saveValues, type Met } from '../../server/save-over.js';
import { valuesOf } from '../page/nodes.js';

export type Value = string | number | boolean | null;
export type Values = Readonly<Record<string, Value>>;

interface Kept {
  readonly typed: Values;
  /** What was stored of the same when it was typed. */
  readonly base: Values;
}

/** What was typed and not saved, by the path of the object and the form. */
const kept = new KeptDrafts<Kept>();

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
  readonly theirs: readonly Met[];
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
  const [typed, setTyped] = useState<Values>(kept.get(place)?.typed ?? {});
  const [theirs, setTheirs] = useState<readonly Met[]>([]);
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
      const { known: shown, typed: own } = latest.current;
      const before = shown ?? kept.get(place)?.base ?? {};
      const others = Object.keys(own).filter(
        (key) => !isSame(values[key], before[key]) && !isSame(values[key], own[key]),
      );
      if (others.length > 0) setTheirs(others.map((key) => ({ key, theirs: values[key] })));
      setKnown(values);
    });
    return () => {
      stale = true;
    };
  }, [path, revision]);
  const keep = (next: Values, base = latest.current.known ?? {}): void => {
    latest.current = { ...latest.current, typed: next };
    setTyped(next);
    kept.keep(place, Object.keys(next).length === 0 ? undefined : { typed: next, base });
  };
  const changed = Object.keys(typed).filter((key) => !isSame(typed[key], known?.[key]));
  const save = async (): Promise<void> => {
    await run(async () => {
      const { met, now } = await saveValues({
        path,
        base: known ?? {},
        changed: Object.fromEntries(changed.map((key) => [key, typed[key] ?? null])),
        valuesOf: (entity) => picked(entity, changed),
        properties: ['id', ...changed],
      });
      const stored = { ...latest.current.known, ...(now as Values) };
      setKnown(stored);
      setTheirs(met);
      if (met.length > 0) return;
      // What was typed while it was saved stays.
      const left = Object.entries(kept.get(place)?.typed ?? {}).filter(([key, value]) => !isSame(value, stored[key]));
      keep(Object.fromEntries(left), stored);
      onSaved();
    });
  };
  return {
    busy,
    problem,
    run,
    values: known === undefined ? undefined : { ...known, ...typed },
    set: (key, value) => {
      keep({ ...latest.current.typed, [key]: value });
    },
    changed,
    theirs,
    save,
    drop: () => {
      setTheirs([]);
      keep({});
    },
  };
}
