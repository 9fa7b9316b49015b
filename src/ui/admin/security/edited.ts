/** A form over some properties of an object that others may edit too: what they have changed meanwhile is told before it is replaced. */
import { useEffect, useRef, useState } from 'react';
import type { RefusedError } from '../../common/request.js';
import { useWork } from '../../common/work.js';
import { isSame, saveValues, type Met, type Values } from '../server/save-over.js';

export type { Values };

export interface Edited {
  readonly values: Values;
  readonly set: (key: string, value: unknown) => void;
  readonly isChanged: boolean;
  readonly busy: boolean;
  readonly problem: RefusedError | undefined;
  readonly conflicts: readonly Met[];
  /**
   * Writes what was changed. False: it was refused, or more was typed meanwhile, or somebody else has changed the same; a further call replaces
   * theirs.
   */
  readonly save: () => Promise<boolean>;
}

/** `path`: of the object; `loaded`: its values as they were read. */
export function useEdited(path: string, loaded: Values): Edited {
  const [base, setBase] = useState(loaded);
  const [draft, setDraft] = useState<Values>({});
  const latest = useRef(draft);
  const keep = (next: Values): void => {
    latest.current = next;
    setDraft(next);
  };
  const [conflicts, setConflicts] = useState<readonly Met[]>([]);
  const { busy, problem, run } = useWork();
  const version = JSON.stringify(loaded);
  // Read anew: what is being edited keeps its base, so that others' changes of it are still told.
  useEffect(() => {
    setBase((before) => ({
      ...loaded,
      ...Object.fromEntries(Object.keys(draft).map((key) => [key, before[key]])),
    }));
  }, [version]);
  const changed = Object.entries(draft).filter(([key, value]) => !isSame(value, base[key]));
  const save = async (): Promise<boolean> => {
    let isSaved = false;
    await run(async () => {
      const properties = ['id', ...changed.map(([key]) => key)];
      const { met, now } = await saveValues({ path, base, changed: Object.fromEntries(changed), properties });
      setConflicts(met);
      const stored = { ...base, ...now };
      setBase(stored);
      if (met.length > 0) return;
      const left = Object.entries(latest.current).filter(([key, value]) => !isSame(value, stored[key]));
      keep(Object.fromEntries(left));
      isSaved = left.length === 0;
    });
    return isSaved;
  };
  return {
    values: { ...base, ...draft },
    set: (key, value) => {
      keep({ ...latest.current, [key]: value });
    },
    isChanged: changed.length > 0,
    busy,
    problem,
    conflicts,
    save,
  };
}

/** What the server says about a field, for who reads it. */
export function problemAt(problem: RefusedError | undefined, key: string): string | undefined {
  const found = problem?.problems.find(({ property }) => property === key);
  return found === undefined ? undefined : (found.token ?? found.detail ?? key).replaceAll('_', ' ');
}

/** A value of a field of text. */
export const textIn = (values: Values, key: string): string => {
  const value = values[key];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
};
