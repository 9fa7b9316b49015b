import type { Exchange } from '../http/index.js';
import type { Actor, Schema } from '../schema/index.js';
import type { Asker } from './asker.js';

/**
 * What a request works with, made once: after its head and body are in, before its work. All of it is as one commit left it,
 * and stays so whatever is committed meanwhile. What it writes is one transaction, which sees the newest state of all.
 */
export interface RequestContext extends Asker {
  readonly exchange: Exchange;
  /** By which it finds its way, reads and writes JSON. */
  readonly schema: Schema;
  /** Number of that commit; see `Graph.commitNumber`. */
  readonly commit: number;
}

/** The context, and where the request leads. */
export interface Entered<Target> extends RequestContext {
  readonly target: Target;
}

/**
 * A request on its way to its context, as the room sees it that its path belongs to: each has a class of its own for it, one
 * object a request. Everything here is asked before the body and again after it.
 */
export abstract class Arrival<Target = undefined> {
  constructor(readonly exchange: Exchange) {}

  /** Where the path leads, by this schema. */
  abstract find(schema: Schema): Target;

  /** The permission that is needed for that; undefined: none, the rights on objects decide alone. */
  abstract signature(target: Target): string | undefined;

  /** Who asks is known, for the first time: for what the answer says of that. */
  seen(_actor: Actor): void {
    // Most answers say nothing.
  }

  /** Throws when the room itself has a reason to let him in no further. */
  admit(_actor: Actor): void {
    // Permissions decide.
  }
}

/** One that brings a body. */
export abstract class Delivery<Target, Body> extends Arrival<Target> {
  /** Takes it, of who was permitted to send it. */
  abstract take(sender: Entered<Target>): Promise<Body>;
}
