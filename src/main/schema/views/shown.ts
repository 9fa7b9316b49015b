/** What of an object is written in an answer: the properties of a view, reduced ones deep below, less what is for its owner alone. */
import type { Property, Type, View } from '../model/schema.js';
import type { RenderOptions } from './render-options.js';

/** Views that are not used at all levels. */
const RESTRICTED: ReadonlySet<string> = new Set(['all', 'ui', 'custom']);
const REDUCED_KEYS = ['id', 'type', 'name'];

/** The properties to write, and what stands before the value of each. */
export interface Shown {
  readonly view: View;
  readonly labels: readonly string[];
  /** Whether another key of an object is written as well, when it has it. */
  readonly more: ((key: string) => boolean) | undefined;
}

/** Whether objects are reduced at this depth whatever they are. */
export function isReducedAt(depth: number, { view, reductionDepth }: RenderOptions): boolean {
  return depth > reductionDepth && RESTRICTED.has(view);
}

/** Whether only the user it belongs to and administrators see a property. */
export function hasOwnOnly(property: Property): boolean {
  return property.kind === 'value' && property.definition.ownOnly === true;
}

/** What is written of objects of a type; to be asked once for all of them. `own`: the object is the one who reads. */
export function shownOf(
  type: Type,
  depth: number,
  reduced: boolean,
  own: boolean,
  options: RenderOptions,
  label: (name: string) => string,
): Shown {
  const kept = own || options.actor.isAdmin ? undefined : hasOwnOnly;
  const found = reduced ? undefined : type.views.get(options.view);
  let properties: readonly Property[] = found?.properties ?? [];
  if (found === undefined && (reduced || depth > 0)) {
    properties = REDUCED_KEYS.map((k) => type.properties.get(k)).filter((p): p is Property => p !== undefined);
  }
  if (options.onlyKeys !== undefined) {
    const only = options.onlyKeys;
    properties = properties.filter((p) => only.has(p.name));
  }
  const isWhole = kept === undefined || !properties.some(kept);
  if (kept !== undefined && !isWhole) properties = properties.filter((p) => !kept(p));
  const view: View =
    found !== undefined && options.onlyKeys === undefined && isWhole
      ? found
      : { name: options.view, properties, needsGraph: properties.some((p) => p.kind !== 'value') };
  return {
    view,
    labels: view.properties.map((p) => label(p.name)),
    more: found === undefined ? undefined : moreOf(type, properties, options),
  };
}

function moreOf({ showsKeys }: Type, shown: readonly Property[], { onlyKeys }: RenderOptions): Shown['more'] {
  if (showsKeys === undefined) return undefined;
  const names = new Set(shown.map(({ name }) => name));
  return (key) => !names.has(key) && onlyKeys?.has(key) !== false && showsKeys.test(key);
}
