/** A node that keeps what others have made of it: the same few objects are asked for again and again, and are written as the same text. */
import type { GraphEntity, GraphNode, PropertyMap } from './types.js';

/** Who keeps nodes in memory, and counts what is kept with them. */
export interface NodeRoom {
  /** So many characters more (negative: fewer) are to be kept with this node; false: they are not, as the node itself is kept no more. */
  take(node: KeptNode, characters: number): boolean;
}

/** Texts kept with one node. */
const MOST_TEXTS = 4;
/** Where the form stands that was written once beside those. */
const LAST = 2 * MOST_TEXTS;
/** Characters of one. */
const LONGEST = 16_384;
/** Characters that a text counts for beside its own. */
const OVERHEAD = 64;

/**
 * A node as it was when read, which has no public member more than that: neither copies of it nor comparisons know of the texts. Texts are
 * kept by their form, an object that stands for how they are written; they go with the node.
 */
export class KeptNode implements GraphNode {
  readonly kind = 'node';
  #room: NodeRoom | undefined = undefined;
  /** Forms, each followed by its text (undefined: it was written once), oldest first; behind as many as are kept one that was written once. */
  #texts: (object | string | undefined)[] | undefined = undefined;

  constructor(
    readonly id: string,
    readonly type: string,
    readonly properties: PropertyMap,
  ) {}

  /** Texts are kept from now on for as long as this room has the node; undefined: none are. */
  static keepIn(node: KeptNode, room: NodeRoom | undefined): void {
    node.#room = room;
    node.#texts = undefined;
  }

  /** What was kept of an object in this form. */
  static textOf(entity: GraphEntity, form: object): string | undefined {
    if (!(#texts in entity)) return undefined;
    const texts = entity.#texts;
    if (texts === undefined) return undefined;
    for (let i = 0; i < texts.length; i += 2) if (texts[i] === form) return texts[i + 1] as string | undefined;
    return undefined;
  }

  /**
   * A text of this form was made of an object. It is kept the second time, where the object is kept: most of those that a list passes
   * over are never asked for again.
   */
  static made(entity: GraphEntity, form: object, text: string): void {
    if (!(#texts in entity) || entity.#room === undefined || text.length > LONGEST) return;
    const texts = (entity.#texts ??= []);
    const at = placeOf(texts, form);
    if (at === texts.length) {
      if (at <= LAST) texts.push(form);
      else texts[LAST] = form;
      if (at < LAST) texts.push(undefined);
      return;
    }
    if (texts[at + 1] !== undefined) return;
    // The oldest makes room: a schema that has changed has other forms, and those of the one before are not asked for any more.
    const old = at === LAST ? (texts[1] as string | undefined) : undefined;
    const before = old === undefined ? 0 : old.length + OVERHEAD;
    if (!entity.#room.take(entity, text.length + OVERHEAD - before)) return;
    // One piece from here on: else it would be put together from its parts each time.
    text.charCodeAt(text.length - 1);
    texts[at + 1] = text;
    if (at === LAST) texts.splice(0, 2);
  }
}

/** Where a form stands, else the end. */
function placeOf(texts: readonly unknown[], form: object): number {
  let at = 0;
  while (at < texts.length && texts[at] !== form) at += 2;
  return Math.min(at, texts.length);
}
