/** What of an object is written in an answer: the properties of a view, reduced ones deep below, less what is for its owner alone. */
import type { Property, Type, View } from '../model/schema.js';
import { Forms } from './forms.js';
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
  /** By which what is written of an object is kept with it; undefined: it is written anew each time. */
  readonly forms: Forms | undefined;
}

/** Who is shown what, as far as it makes a difference to what is shown of an object's own properties. */
export type Showing = Pick<RenderOptions, 'view' | 'actor' | 'reductionDepth' | 'onlyKeys'>;

/** Whether objects are reduced at this depth whatever they are. */
export function isReducedAt(depth: number, { view, reductionDepth }: Showing): boolean {
  return depth > reductionDepth && RESTRICTED.has(view);
}

/** Whether only the user it belongs to and administrators see a property. */
export function hasOwnOnly(property: Property): boolean {
  return property.kind === 'value' && property.definition.ownOnly === true;
}

/** What is shown of a type in each of its views, made once a schema, in which each type is a new object. */
const known = new WeakMap<Type, Map<string, Shown>>();

/** What is written of objects of a type at a depth. `own`: the object is the one who reads; `indent`: with blanks. */
export function shownOf(
  type: Type,
  depth: number,
  reduced: boolean,
  own: boolean,
  options: Showing,
  indent: boolean,
): Shown {
  // Views come from clients: those that the type has not are not kept.
  if (options.onlyKeys !== undefined || !type.views.has(options.view))
    return madeOf(type, depth, reduced, own, options, indent);
  const place = reduced ? 'r' : depth === 0 ? '0' : 'n';
  const key = `${place}${own || options.actor.isAdmin ? 'o' : ''}${indent ? 'i' : ''}/${options.view}`;
  let ofType = known.get(type);
  if (ofType === undefined) known.set(type, (ofType = new Map<string, Shown>()));
  let shown = ofType.get(key);
  if (shown === undefined) ofType.set(key, (shown = madeOf(type, depth, reduced, own, options, indent)));
  return shown;
}

function madeOf(type: Type, depth: number, reduced: boolean, own: boolean, options: Showing, indent: boolean): Shown {
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
  const more = found === undefined ? undefined : moreOf(type, properties, options);
  const isKept = options.onlyKeys === undefined && more === undefined && view.properties.every(isLasting);
  return {
    view,
    labels: view.properties.map((p) => labelOf(p.name, indent)),
    more,
    forms: isKept ? new Forms() : undefined,
  };
}

/** What stands before the value of a key. */
export function labelOf(name: string, indent: boolean): string {
  return indent ? `${JSON.stringify(name)}: ` : `${JSON.stringify(name)}:`;
}

/** Whether the text of a value is the same for as long as the value and the schema are. What is stored encrypted stays so in memory. */
function isLasting(property: Property): boolean {
  return property.kind === 'value' && property.withSecret === undefined;
}

function moreOf({ showsKeys }: Type, shown: readonly Property[], { onlyKeys }: Showing): Shown['more'] {
  if (showsKeys === undefined) return undefined;
  const names = new Set(shown.map(({ name }) => name));
  return (key) => !names.has(key) && onlyKeys?.has(key) !== false && showsKeys.test(key);
}
