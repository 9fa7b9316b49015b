/**
 * What a text can contain so that it has a given part when case does not count. An index of Neo4j finds parts as they are written, so it is asked for a
 * few characters of the part in every way of writing them, and the rest is compared. Nothing has to be stored beside the text for that, and
 * what other clients write is found, too.
 */
import { fold } from '../../sqlite/connection/functions.js';

/** Characters an index needs to find a part: it keeps groups of three. */
const SHORTEST = 3;
/** Characters that are looked for at most: more of them are in hardly fewer texts, and take long to be written in all ways. */
const LONGEST = 24;
/** Places of a part that are tried. */
const MOST_PLACES = 64;
/** Ways of writing that are asked for. */
const MOST = 64;
/** Characters beyond ASCII that become some of ASCII when case does not count, by `fold`. */
const FOREIGN = [...'ıſKßİŉǰẖẗẘẙẚẞﬀﬁﬂﬃﬄﬅﬆ'].map((char) => ({ char, folded: fold(char) }));
const ASCII = /[ -~]+/g;

/** Ways of writing of which a text with this part has at least one; undefined: too many, or nothing to look for. */
export function variantsOf(part: string, ignoreCase: boolean): readonly string[] | undefined {
  const wanted = part.toWellFormed();
  if (!ignoreCase) return wanted.length < SHORTEST ? undefined : [wanted];
  let best: readonly string[] | undefined;
  let places = 0;
  for (const [run] of fold(wanted).matchAll(ASCII)) {
    for (let from = 0; from + SHORTEST <= run.length; from++) {
      for (let to = from + SHORTEST; to <= Math.min(run.length, from + LONGEST); to++) {
        const found = ways(run.slice(from, to));
        if (found.length > MOST) break;
        if (found.every((one) => one.length >= SHORTEST) && isBetter(found, best)) best = found;
      }
      // Long parts: what has been found is good enough.
      if (++places >= MOST_PLACES) return best;
    }
  }
  return best;
}

/** Longer ones are in fewer texts. */
function isBetter(found: readonly string[], best: readonly string[] | undefined): boolean {
  if (best === undefined) return true;
  const [length, least] = [found, best].map((all) => Math.min(...all.map((one) => one.length))) as [number, number];
  return length > least || (length === least && found.length < best.length);
}

/** All ways of writing a folded text of ASCII, where it may begin and end within a character; more than `MOST`: some. */
function ways(window: string): string[] {
  const found = new Set<string>();
  const go = (at: number, written: string): void => {
    if (found.size > MOST) return;
    if (at === window.length) {
      found.add(written);
      return;
    }
    const char = window.charAt(at);
    go(at + 1, written + char);
    if (char >= 'a' && char <= 'z') go(at + 1, written + char.toUpperCase());
    const rest = window.slice(at);
    for (const { char: foreign, folded } of FOREIGN) {
      // Its own beginning may lie before the window only where that begins.
      for (let skipped = 0; skipped < (at === 0 ? folded.length : 1); skipped++) {
        const within = folded.slice(skipped);
        if (rest.startsWith(within)) go(at + within.length, written + foreign);
        else if (within.startsWith(rest)) go(window.length, written + foreign);
      }
    }
  };
  go(0, '');
  return [...found];
}
