import type { ReadTransaction } from '../../graph/index.js';
import type { Actor, ObjectAccess } from '../model/actor.js';
import type { MissingValues, Schema } from '../model/schema.js';

/** How a result is to be written. */
export interface RenderOptions {
  readonly schema: Schema;
  readonly tx: ReadTransaction;
  readonly access: ObjectAccess;
  /** The one who reads. */
  readonly actor: Actor;
  /** See `ComputeContext`; absent: this answer. */
  readonly origin?: object;
  /** As in `ComputeContext`. */
  readonly missing?: MissingValues | undefined;
  /** View of the URL, used at all levels. */
  readonly view: string;
  /** `_outputNestingDepth` */
  readonly nestingDepth: number;
  /** `_outputReductionDepth` */
  readonly reductionDepth: number;
  /** `json.redundancyreduction` */
  readonly reduceRepeated: boolean;
  readonly serializeNulls: boolean;
  /** Elements of any array beyond which nothing is written. */
  readonly arrayLimit: number;
  /** Keys of the Accept header's property list. */
  readonly onlyKeys?: ReadonlySet<string>;
  /** Slices of collection properties (Range header), end exclusive. */
  readonly slices?: ReadonlyMap<string, { readonly from: number; readonly to: number }>;
}
