/**
 * Content of files in inputs (`base64Data`, `imageData`; docs/interface/files.md 3.7): stored before the transaction begins, published by
 * it. The files room implements it; this room asks.
 */
import type { GraphNode, PropertyChanges } from '../../graph/index.js';
import type { Type } from '../model/schema.js';

/** Content that is stored and belongs to no object yet. */
export interface PreparedContent {
  /** Id of the object it was stored for; a new object gets it. */
  readonly id: string;
  /** What an object of this type becomes with it. `before`: what it was; absent: it is new. */
  published(type: Type, before: GraphNode | undefined): PropertyChanges;
}

/** What an input, and the object as it is, say about content. */
export interface ContentFacts {
  readonly name: string | undefined;
  readonly contentType: string | undefined;
  /** Of the object, if it is known. */
  readonly id: string | undefined;
  /** Id of the folder that it will lie in, or of the object that lies there already; undefined: none is named. */
  readonly near: string | undefined;
}

export interface InputContents {
  /** Stores what an input says; returns what stands for it in the input. Throws `SchemaError` for what is no content. */
  store(text: string, facts: ContentFacts): Promise<string>;
  /** What was stored under this name. */
  get(name: string): PreparedContent | undefined;
}
