/** Faults of a script, found while it is typed: the server takes any text, and says at the first call what is wrong with it. */
import { useEffect, useState } from 'react';

/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 300;
/** More than these tell nothing more. */
const MOST = 5;

/** The lines, from 1, where JavaScript cannot be read on; none of an expression. */
async function faultsOf(source: string): Promise<readonly number[]> {
  if (!source.trimStart().startsWith('{')) return [];
  const { javascriptLanguage } = await import('@codemirror/lang-javascript');
  const lines = new Set<number>();
  javascriptLanguage.parser.parse(source).iterate({
    enter: ({ type, from }) => {
      if (type.isError) lines.add(source.slice(0, from).split('\n').length);
    },
  });
  return [...lines].slice(0, MOST);
}

/** The lines of the faults in a script. */
export function useCodeProblems(source: string): readonly number[] {
  const [faults, setFaults] = useState<readonly number[]>([]);
  useEffect(() => {
    let stale = false;
    const timer = setTimeout(() => {
      void faultsOf(source).then((found) => {
        if (!stale) setFaults((before) => (before.join() === found.join() ? before : found));
      });
    }, PAUSE_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [source]);
  return faults;
}
