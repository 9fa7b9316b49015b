import { JavaPattern, JavaPatternError } from '../../../../shared/java-pattern.js';
import type { PropertyContext, PropertyDefinition } from '../../model/property.js';
import { badDefinition } from './input-errors.js';
import type { ValueRule } from './scalar-property.js';

/** An editor hint that stands where a pattern would. */
const NO_PATTERN = 'multi-line';

/** The rule in a String's format: the whole value matches the expression, and a missing value does not (docs/interface/schema.md 5). */
export function patternRule(definition: PropertyDefinition, context: PropertyContext): ValueRule | undefined {
  const { name, format } = definition;
  if (format === undefined || format.trim() === '' || format.trim() === NO_PATTERN) return undefined;
  const pattern = compile(format, definition, context);
  const detail = `Property value must match the following pattern: '${format}'.`;
  return (value, typeName) => {
    if (value === undefined) return { type: typeName, property: name, token: 'must_match', detail };
    if (pattern.matches(String(value))) return undefined;
    return { type: typeName, property: name, token: 'must_match', value, detail };
  };
}

function compile(format: string, definition: PropertyDefinition, context: PropertyContext): JavaPattern {
  try {
    return JavaPattern.compile(format);
  } catch (error) {
    if (!(error instanceof JavaPatternError)) throw error;
    throw badDefinition(definition, context.declaringTrait, `${format} is no usable pattern (${error.message})`);
  }
}
