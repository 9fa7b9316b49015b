/** Which traits a type has, inherited ones included, and in which order they apply. */
import type { TimeSlice } from '../../../shared/time-slice.js';
import { NODE_BASE, RELATIONSHIP_BASE, type Draft, type Drafts } from './drafts.js';
import { schemaProblem } from '../model/errors.js';

/** Traits of one type, its own included, the base traits not: every check and every view of the type walks over them. */
const MAX_TRAITS = 100;

/**
 * Adds the traits of all drafts that `traitsOf` lacks, in order of application, each type's own last. Each type's are
 * worked out once, from those of its parents. Throws on a cycle, and on a type with too many.
 */
export async function linearise(
  drafts: Drafts,
  traitsOf: Map<string, ReadonlySet<string>>,
  slice: TimeSlice,
): Promise<void> {
  for (const d of drafts.values()) {
    // A list, not recursion: a chain as long as the schema must end in a refusal, not at the end of the stack.
    const waiting = [d];
    const open = new Set<string>();
    for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
      if (slice.due) await slice.pause();
      if (traitsOf.has(next.name) || open.has(next.name)) {
        waiting.pop();
        // What waits above an open type is done by now, so that all of its parents are.
        if (open.delete(next.name)) traitsOf.set(next.name, traitsFrom(next, traitsOf));
        continue;
      }
      open.add(next.name);
      for (const name of parentsOf(next)) {
        if (open.has(name)) {
          const detail = `type ${d.name} inherits itself through ${name}`;
          throw schemaProblem(d.name, 'inheritedTraits', 'circular_reference', detail);
        }
        // Unknown traits were refused for custom types before.
        const parent = drafts.get(name);
        if (parent !== undefined && !traitsOf.has(name)) waiting.push(parent);
      }
    }
  }
}

const isBase = (name: string): boolean => NODE_BASE.includes(name) || RELATIONSHIP_BASE.includes(name);
const parentsOf = (d: Draft): readonly string[] => (isBase(d.name) ? [] : d.inherits);

/** The traits of a type whose parents' are known. */
function traitsFrom(d: Draft, traitsOf: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  if (isBase(d.name)) {
    const base = NODE_BASE.includes(d.name) ? NODE_BASE : RELATIONSHIP_BASE;
    return new Set(base.slice(0, base.indexOf(d.name) + 1));
  }
  const base = d.kind === 'node' ? NODE_BASE : RELATIONSHIP_BASE;
  const traits = new Set(base);
  for (const parent of d.inherits) {
    for (const trait of traitsOf.get(parent) ?? []) traits.add(trait);
    if (traits.size - base.length < MAX_TRAITS) continue;
    const detail = `type ${d.name} has more than ${String(MAX_TRAITS)} traits, counting its own and all it inherits`;
    throw schemaProblem(d.name, 'inheritedTraits', 'invalid_property_reference', detail);
  }
  traits.add(d.name);
  return traits;
}
