/** A node that keeps what others have made of it: the same few objects are asked for again and again, and are written as the same text. */
import type { GraphEntity, GraphNode, PropertyMap } from './types.js';

/** Who keeps nodes in memory, and counts what is kept with them. */
export interface NodeRoom {
  /** So many characters more are to be kept with this node; false: they are not, as the node itself is kept no more. */
  take(node: KeptNode, characters: number): boolean;
}

/** Texts kept with one node. */
const MOST_TEXTS = 4;
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
  /** Forms, each followed by its text; undefined: it was written once. */
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
    for (let i = 0; i < texts.length; i += 2) {
      if (texts[i] !== form) continue;
      if (texts[i + 1] !== undefined || !entity.#room.take(entity, text.length + OVERHEAD)) return;
      // One piece from here on: else it would be put together from its parts each time.
      text.charCodeAt(text.length - 1);
      texts[i + 1] = text;
      return;
    }
    if (texts.length < 2 * MOST_TEXTS) texts.push(form, undefined);
  }
}
