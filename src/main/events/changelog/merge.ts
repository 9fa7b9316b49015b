/** Several logs about the same thing as one, in the order of their times. */
import { timeOfLine } from './files/seek.js';

/** Lines that are given on together. */
const SOME = 1000;

interface Source {
  lines: readonly string[];
  at: number;
  readonly rest: AsyncIterator<readonly string[]>;
}

/**
 * Lines of all logs, each of which is in order. A line that several have the same of comes once: what an instance has left when it went down is
 * written by another one, too.
 */
export async function* merged(
  logs: readonly AsyncIterator<readonly string[]>[],
): AsyncIterableIterator<readonly string[]> {
  let sources: Source[] = [];
  for (const rest of logs) {
    const source = { lines: [], at: 0, rest };
    if (await advance(source)) sources.push(source);
  }
  let some: string[] = [];
  while (sources.length > 1) {
    const line = sources.reduce((first, { lines, at }) => earlier(first, lines[at] ?? ''), '');
    some.push(line);
    let ended = false;
    for (const source of sources) {
      if (source.lines[source.at] !== line) continue;
      source.at++;
      if (source.at >= source.lines.length) ended = !(await advance(source)) || ended;
    }
    if (ended) sources = sources.filter(({ lines }) => lines.length > 0);
    if (some.length >= SOME) {
      yield some;
      some = [];
    }
  }
  if (some.length > 0) yield some;
  for (const source of sources) {
    do yield source.lines.slice(source.at);
    while (await advance(source));
  }
}

/** Goes on to the next lines; false: there are none, nor ever will be. */
async function advance(source: Source): Promise<boolean> {
  const next = await source.rest.next();
  source.at = 0;
  source.lines = next.done === true ? [] : next.value;
  return next.done !== true;
}

function earlier(one: string, other: string): string {
  return one !== '' && (timeOfLine(one) ?? 0) <= (timeOfLine(other) ?? 0) ? one : other;
}
