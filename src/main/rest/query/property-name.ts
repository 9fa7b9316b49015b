import { lowerCamel, type Property, type Type } from '../../schema/index.js';

/** The property a URL segment or sort key names: exactly, else in lower camel case (docs/interface/rest.md 1.2). */
export function propertyOf(type: Type, segment: string): Property | undefined {
  return type.properties.get(segment) ?? type.properties.get(lowerCamel(segment));
}
