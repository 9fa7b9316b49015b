/** Entities made into bytes in the thread that reads them: for exports, whose loop only passes on what was made. */
import type { PropertyMap } from './types.js';

/** What is to be made. */
export interface Making {
  /** URL of a worker file whose default export is a `Maker`. */
  readonly module: string;
  /** What that is told with each batch: plain data, which is copied to the thread. */
  readonly about: unknown;
  /** Types in the database of relationships that come with the nodes they lead to; absent: none. */
  readonly incoming?: readonly string[];
}

/** What was made of a batch. */
export interface Made {
  readonly bytes: Uint8Array;
  /** Entities that are in it. */
  readonly entities: number;
}

/** Makes something of entities. They come in the order of the query. */
export type Maker = (entities: readonly StoredEntity[], about: unknown) => Made;

/** A node as it is stored. `text`: its properties, which `decodeProperties` reads. */
export interface StoredNode {
  readonly kind: 'node';
  readonly id: string;
  readonly type: string;
  readonly text: string;
  /** By type, each in the order of linking. */
  readonly incoming: readonly StoredLink[];
}

/** A relationship that leads to a node. */
export interface StoredLink {
  readonly relType: string;
  readonly text: string;
  readonly source: PropertyMap;
}

/** A relationship as it is stored. */
export interface StoredRelationship {
  readonly kind: 'relationship';
  readonly id: string;
  readonly type: string;
  readonly relType: string;
  readonly sourceId: string;
  readonly targetId: string;
  readonly text: string;
}

export type StoredEntity = StoredNode | StoredRelationship;
