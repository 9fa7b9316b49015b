import type { GraphNode } from '../../../graph/index.js';
import type { MissingValues, PropertyDefinition } from '../../../schema/index.js';
import { keyOf, wishOf, type Wish } from './wish.js';

/** Images and what is wanted of each. */
export interface Wanted {
  readonly image: GraphNode;
  readonly wishes: readonly Wish[];
}

/** So many images of one answer are waited for. */
const MOST = 500;

/** Thrown instead of an answer that lacks thumbnails which may be there soon: it is to be made again when they are. */
export class ThumbnailsMissing extends Error {
  override readonly name = 'ThumbnailsMissing';
}

/** Thumbnails that an answer should show and that are not there. */
export class Missing implements MissingValues {
  #images: Map<string, { readonly image: GraphNode; readonly wishes: Map<string, Wish> }> | undefined;

  get some(): boolean {
    return this.#images !== undefined;
  }

  get all(): readonly Wanted[] {
    const images = this.#images?.values() ?? [];
    return [...images].map(({ image, wishes }) => ({ image, wishes: [...wishes.values()] }));
  }

  note(image: GraphNode, { format }: PropertyDefinition): boolean {
    const wish = wishOf(format);
    if (wish === undefined) return false;
    this.#images ??= new Map();
    let one = this.#images.get(image.id);
    if (one === undefined) {
      if (this.#images.size >= MOST) return false;
      this.#images.set(image.id, (one = { image, wishes: new Map() }));
    }
    one.wishes.set(keyOf(wish), wish);
    return true;
  }

  /** To be called before anything leaves of the answer. Throws `ThumbnailsMissing`. */
  confirm(): void {
    if (this.some) throw new ThumbnailsMissing('thumbnails are missing');
  }
}
