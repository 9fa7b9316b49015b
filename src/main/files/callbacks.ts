/** Methods of users that are told of uploads and downloads (docs/interface/files.md 3.9, docs/interface/scripting.md 6.7). The scripting room runs them. */
import type { GraphNode } from '../graph/index.js';
import type { Exchange } from '../http/index.js';
import type { Actor, ObjectAccess, ObjectTransaction } from '../schema/index.js';
import { askedMode, type EditMode } from './serve/edit-mode.js';

/** What a method is told of a file that was delivered. */
export interface Delivery {
  /** `NONE`, or how an administrator wants to see the file. */
  readonly editMode: EditMode;
  /** Absent: the request asked for no other name than its own. */
  readonly requestedFileName?: string;
  readonly statusCode: number;
}

export interface FileCallbacks {
  /** A file that was uploaded is in this transaction, which its method may still change. Never rejects. */
  uploaded(file: GraphNode, objects: ObjectTransaction): Promise<void>;
  /**
   * Undefined at once, by the schema alone, for files whose type has no method for it. Else what to call when the file was
   * delivered, as soon as it may be: not too many wait to be told at a time. What is called never rejects.
   */
  delivering(
    file: GraphNode,
    reader: { readonly actor: Actor; readonly access: ObjectAccess },
  ): Promise<(delivery: Delivery) => Promise<void>> | undefined;
}

/** Where the files room finds them, once they are there. */
export interface FileCallbacksPlace {
  current: FileCallbacks | undefined;
}

const DELIVERED: ReadonlySet<number> = new Set([200, 206, 304]);

/** What there is to tell of an answer; undefined: nothing was delivered, or to an editor of pages. */
export function deliveryOf(exchange: Exchange, actor: Actor, legacy: boolean): Delivery | undefined {
  if (!DELIVERED.has(exchange.status) || exchange.aborted) return undefined;
  const editMode = actor.isAdmin ? askedMode(exchange, legacy) : 'NONE';
  if (editMode === 'WIDGET') return undefined;
  const name = new URLSearchParams(exchange.query).get('_filename') ?? '';
  return { editMode, statusCode: exchange.status, ...(name === '' ? {} : { requestedFileName: name }) };
}
