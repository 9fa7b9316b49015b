/** What is read again and again while it is shown. */
import { useEffect, useState } from 'react';
import { asRefusal, type RefusedError } from '../../common/request.js';

/**
 * Reads at once, and again `pause` ms after each answer; rests while nobody sees the page. What was read last stays when a later
 * look fails. `load` is taken from the first turn.
 */
export function useAgainAndAgain<T>(
  load: () => Promise<T>,
  pause: number,
): { readonly value: T | undefined; readonly problem: RefusedError | undefined; readonly now: () => void } {
  const [seen, setSeen] = useState<{ readonly value?: T; readonly problem?: RefusedError }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      if (document.visibilityState === 'visible') {
        try {
          const value = await load();
          if (!over) setSeen({ value });
        } catch (error) {
          const problem = asRefusal(error);
          if (!over) setSeen((before) => ({ ...before, problem }));
        }
      }
      if (!over) timer = setTimeout(look, pause);
    };
    void look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [turn]);
  return {
    value: seen.value,
    problem: seen.problem,
    now: () => {
      setTurn((before) => before + 1);
    },
  };
}
