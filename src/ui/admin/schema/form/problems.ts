/** Where in a form a refusal belongs, and in which words (docs/interface/schema.md 4). */
import type { FieldProblem } from '../../../common/request.js';
import type { Values } from './draft.js';

/** The field that a problem is about; absent: none of the form. */
export type FieldOf = (problem: FieldProblem, values: Values) => string | undefined;

/** A refused definition is named by the property that it defines; what of it is wrong stands in the detail. */
export function fieldOf({ property = '', token = '', detail = '' }: FieldProblem, values: Values): string | undefined {
  if (token === 'invalid_property_definition' || token === 'invalid_property_reference') {
    if ('defaultValue' in values && /default/i.test(detail)) return 'defaultValue';
    if ('propertyType' in values && /type/i.test(detail) && /no propertyType|unknown/i.test(detail))
      return 'propertyType';
    if ('format' in values) return 'format';
  }
  if (property in values) return property;
  if (property === 'sourceNode' || property === 'sourceId') return 'sourceType' in values ? 'sourceType' : undefined;
  if (property === 'targetNode' || property === 'targetId') return 'targetType' in values ? 'targetType' : undefined;
  // The entry of a whole type names the property or method that is wrong: it is the one in the form.
  if (property !== '' && property === values['name']) return 'name';
  if (token === 'duplicate_relationship_definition')
    return 'relationshipType' in values ? 'relationshipType' : undefined;
  return undefined;
}
