/**
 * Content of files in inputs (`base64Data`, `imageData`; files.md 3.7): stored before the transaction begins, published by
 * it. The files room implements it; this room asks.
 */
import type { GraphNode, PropertyChanges } from '../../graph/index.js';

/** Content that is stored and belongs to no object yet. */
export interface PreparedContent {
  /** Id of the object it was stored for; a new object gets it. */
  readonly id: string;
  /** What the object becomes with it. `before`: what it was; absent: it is new. */
  published(before: GraphNode | undefined): PropertyChanges;
}

export interface InputContents {
  /**
   * Stores what an input says; returns what stands for it in the input from then on. `id`: of the object, if it is known.
   * Throws `SchemaError` for what is no content.
   */
  store(
    text: string,
    name: string | undefined,
    contentType: string | undefined,
    id: string | undefined,
  ): Promise<string>;
  /** What was stored under this name. */
  get(name: string): PreparedContent | undefined;
}
