import type { CacheFacts } from '../../commits/caches.js';
import type { Gapless } from './gaps.js';

/** What the engine itself keeps; see `Graph.caches`. */
export const KEEPS: readonly CacheFacts[] = [
  { name: 'graph.catalog', dependsOn: ['types of relationships in use, with each notice'] },
  { name: 'graph.lists', dependsOn: ['commits, by their number that each use asks for'] },
  { name: 'graph.gaps', dependsOn: ['missing values, by a count that pages compare themselves'] },
];

/** What the compiler may rely on. */
export interface Knowledge {
  /** Whether the index on `type` and this key is there and filled. */
  indexed(key: string): boolean;
  /** Whether there is an index of the parts of texts at this key; one that is asked for often is made. */
  parts?(key: string): boolean;
  /** Whether no node of the type lacks the key (gaps.ts); undefined: not known. */
  gapless?(type: string, key: string): Gapless | undefined;
  /** Types in the database that relationships of these types of the schema have; undefined: not known. */
  relTypes(types: readonly string[]): readonly string[] | undefined;
  /** All types of the schema whose relationships have this type in the database. */
  sharing(relType: string): ReadonlySet<string>;
}
