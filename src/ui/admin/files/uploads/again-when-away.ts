/** Goes on by itself when the server is there again. */
import { useEffect } from 'react';
import type { RefusedError } from '../../../common/request.js';

const PAUSE_MS = 2000;

/** Reads again after a while when the server has not answered; a refusal of the server stays. */
export function useAgainWhenAway(problem: RefusedError | undefined, again: () => void): void {
  useEffect(() => {
    if (problem?.status !== 0) return;
    const timer = setTimeout(again, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [problem]);
}
