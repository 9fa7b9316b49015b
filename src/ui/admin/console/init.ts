/** `init`: indexes, ids and labels of the database (docs/interface/operations.md 9.3). */
import type { Said, Work } from './command.js';

const KINDS: ReadonlyMap<string, 'node' | 'rel'> = new Map([
  ['node', 'node'],
  ['rel', 'rel'],
  ['relationship', 'rel'],
]);
const WHAT: ReadonlySet<string> = new Set(['index', 'ids', 'labels']);

const fault = (key: Said['key'], word = ''): Said => ({ key, values: { word }, isFault: true });

/** The work that `init [node|rel] index|ids|labels [for <Type>]` means, or what is wrong with it. */
export function initialize(args: readonly string[]): Work | Said {
  const kind = KINDS.get(args[0] ?? '');
  const [what, ...rest] = kind === undefined ? args : args.slice(1);
  if (what === undefined) return fault('console.init.nothing');
  if (!WHAT.has(what)) return fault('console.init.unknown', what);
  const [word, type, ...more] = rest;
  if (word !== undefined && KINDS.has(word)) return fault('console.init.order', word);
  if (word !== undefined && word !== 'for') return fault('console.init.tooMany', word);
  if (word === 'for' && type === undefined) return fault('console.init.noType');
  if (more[0] !== undefined) return fault('console.init.tooMany', more[0]);
  const one = type === undefined ? undefined : kind === 'rel' ? { relType: type } : { type };
  if (what === 'labels')
    return kind === 'rel' ? fault('console.init.labels') : { maintenance: 'createLabels', input: one ?? {} };
  if (what === 'ids')
    return { maintenance: 'setUuid', input: one ?? (kind === 'rel' ? { allRels: true } : { allNodes: true }) };
  const all = kind === undefined ? {} : { mode: kind === 'rel' ? 'relsOnly' : 'nodesOnly' };
  return { maintenance: 'rebuildIndex', input: one ?? all };
}
