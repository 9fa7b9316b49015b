/** Loading and doing, with what went wrong. */
import { useCallback, useEffect, useState } from 'react';
import { asRefusal, type RefusedError } from './request.js';

export interface Work {
  readonly busy: boolean;
  readonly problem: RefusedError | undefined;
  /** Does something; true: it went well. */
  readonly run: (work: () => Promise<void>) => Promise<boolean>;
}

/** One thing at a time, and what became of it. */
export function useWork(): Work {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<RefusedError>();
  const run = useCallback(async (work: () => Promise<void>): Promise<boolean> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      return true;
    } catch (error) {
      // Whoever has ended it knows.
      if (!(error instanceof DOMException && error.name === 'AbortError')) setProblem(asRefusal(error));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, problem, run };
}

/** Loads once, and whenever it is asked to; `undefined` until it is there. */
export function useLoaded<T>(load: () => Promise<T>): {
  readonly value: T | undefined;
  readonly set: (value: T) => void;
  readonly again: () => void;
  readonly problem: RefusedError | undefined;
} {
  const [value, set] = useState<T>();
  const { problem, run } = useWork();
  const again = (): void => {
    void run(async () => {
      set(await load());
    });
  };
  // Once: it is another function with each turn.
  useEffect(again, []);
  return { value, set, again, problem };
}
