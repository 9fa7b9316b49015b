/** Searching by related objects (docs/interface/lists.md 1.4). */
import type { Predicate } from '../../graph/index.js';
import { onlyReadable, type ObjectAccess } from '../model/actor.js';
import type { RelationProperty } from '../model/relation-property.js';

/**
 * Objects whose property has these related objects: no others that who asks may see, or (`inexact`) others as well. A property for one object
 * has no others, so that nobody looks for them: that look at each object that is linked would be the whole cost of the search.
 */
export function linkedTo(
  property: RelationProperty,
  ids: readonly string[],
  inexact: boolean,
  access: ObjectAccess,
): Predicate {
  const step = onlyReadable(property.step, access);
  const isAll = inexact || (!property.isCollection && new Set(ids).size === 1);
  return { op: isAll ? 'relatedAll' : 'relatedExactly', step, ids };
}

/** Objects whose related objects all fit `where`, and that have at least one. */
export function linkedOnlyTo(property: RelationProperty, where: Predicate, access: ObjectAccess): Predicate {
  const some = (inner: Predicate): Predicate => ({
    op: 'relatedSome',
    step: onlyReadable(property.step, access),
    where: inner,
  });
  if (!property.isCollection) return some(where);
  return { op: 'and', terms: [some(where), { op: 'not', term: some({ op: 'not', term: where }) }] };
}
