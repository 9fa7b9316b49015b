/** Where the files of the changelog are, below its folder: those of an older service lie in the same places (docs/interface/changelog.md 2). */
import { createHash } from 'node:crypto';

/** What a file is about: a node, a relationship, a user. */
export type LogKind = 'n' | 'r' | 'u';

export const LOG_KINDS: readonly LogKind[] = ['n', 'r', 'u'];
/** Letters of an id that each have a folder. */
const LEVELS = 4;
/** What others have written into a database may have any text as its id. */
const PLAIN = /^[0-9A-Za-z][\w-]{3,99}$/;

/** The path of a file, counted from the folder of the changelog. */
export function pathOf(kind: LogKind, id: string): string {
  const name = PLAIN.test(id) ? id : `x${createHash('sha256').update(id).digest('hex')}`;
  let path: string = kind;
  for (let i = 0; i < LEVELS; i++) path += `/${name.charAt(i)}`;
  return `${path}/${name}`;
}
