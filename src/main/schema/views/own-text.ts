/** The text of an object whose view shows nothing but its own values. */
import { KeptNode, type GraphEntity, type GraphNode } from '../../graph/index.js';
import type { Actor } from '../model/actor.js';
import { storedValue } from '../model/lookup.js';
import type { Type } from '../model/schema.js';
import { LONG_TEXT, newlineOf } from './json-out.js';
import { isReducedAt, shownOf, type Shown } from './shown.js';

/** How texts are laid out. */
export interface Layout {
  readonly indent: boolean;
  readonly serializeNulls: boolean;
}

/** The text of an object at a level, kept with it where it lasts; undefined: something of it is too long to be made at once. */
export function ownText(
  { view, labels, forms }: Shown,
  entity: GraphEntity,
  level: number,
  { indent, serializeNulls }: Layout,
): string | undefined {
  const form = forms?.at(level, serializeNulls);
  const kept = form === undefined ? undefined : KeptNode.textOf(entity, form);
  if (kept !== undefined) return kept;
  const nl = newlineOf(indent, level + 1);
  let text = '{';
  let first = true;
  for (let i = 0; i < labels.length; i++) {
    const property = view.properties[i];
    if (property?.kind !== 'value') continue;
    const stored = storedValue(entity, property.key);
    if (typeof stored === 'string' && stored.length > LONG_TEXT) return undefined;
    const value = property.toJson(stored);
    if (value === 'null' && !serializeNulls) continue;
    text += (first ? '' : ',') + nl + (labels[i] ?? '') + value;
    first = false;
  }
  text += first ? '}' : `${newlineOf(indent, level)}}`;
  if (form !== undefined) KeptNode.made(entity, form, text);
  return text;
}

/** Objects in one view, for all who ask for it; to be made anew with the schema. */
export class OwnTexts {
  /** What is shown of each type to those who see all of it, and to others; null: more than own values. */
  readonly #all = new Map<Type, Shown | null>();
  readonly #others = new Map<Type, Shown | null>();

  constructor(
    private readonly view: string,
    private readonly reductionDepth: number,
    private readonly layout: Layout,
  ) {}

  /** The text of an object of a list or of one that stands alone, at this level; undefined: it needs more than what is here. */
  of(node: GraphNode, type: Type, actor: Actor, level: number): string | undefined {
    const own = node.id === actor.id;
    const known = own || actor.isAdmin ? this.#all : this.#others;
    let shown = known.get(type);
    if (shown === undefined) {
      const showing = { view: this.view, reductionDepth: this.reductionDepth, actor };
      const made = shownOf(type, 0, isReducedAt(0, showing), own, showing, this.layout.indent);
      shown = made.view.needsGraph || made.more !== undefined ? null : made;
      known.set(type, shown);
    }
    return shown === null ? undefined : ownText(shown, node, level, this.layout);
  }
}
