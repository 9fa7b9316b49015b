/** What somebody has typed into a form, beside what the server has. */
import { useState } from 'react';
import { isSame, type Values } from '../../server/save-over.js';

export type { Values };

export interface Draft {
  readonly values: Values;
  /** What the server has, as far as is known. */
  readonly base: Values;
  readonly set: (name: string, value: unknown) => void;
  /** What differs from what the server has. */
  readonly changed: Values;
  readonly isDirty: boolean;
  /** Takes other values as those of the server; what was typed stays. */
  readonly rebase: (base: Values) => void;
}

export function useDraft(initial: Values): Draft {
  const [base, rebase] = useState(initial);
  const [typed, setTyped] = useState<Values>({});
  const changed = Object.fromEntries(Object.entries(typed).filter(([name, value]) => !isSame(value, base[name])));
  return {
    base,
    values: { ...base, ...typed },
    set: (name, value) => {
      setTyped((before) => ({ ...before, [name]: value }));
    },
    changed,
    isDirty: Object.keys(changed).length > 0,
    rebase,
  };
}
