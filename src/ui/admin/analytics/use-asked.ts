/** What the server answers to a question that changes while somebody types. */
import { useEffect, useState } from 'react';
import { asRefusal, type RefusedError } from '../../common/request.js';

/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 300;

/** Asks again when `question` is another one; the last answer stays until the next is there. */
export function useAsked<T>(
  question: string,
  ask: (signal: AbortSignal) => Promise<T>,
): { readonly value: T | undefined; readonly problem: RefusedError | undefined; readonly again: () => void } {
  const [seen, setSeen] = useState<{ readonly value?: T; readonly problem?: RefusedError }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      ask(aborter.signal).then(
        (value) => {
          if (!aborter.signal.aborted) setSeen({ value });
        },
        (error: unknown) => {
          if (aborter.signal.aborted) return;
          const problem = asRefusal(error);
          setSeen((before) => ({ ...before, problem }));
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [question, turn]);
  return {
    value: seen.value,
    problem: seen.problem,
    again: () => {
      setTurn((before) => before + 1);
    },
  };
}
