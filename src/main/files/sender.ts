/**
 * Who sends content, and what he may do. His body is on its way for as long as he likes: when it is there he is asked for again, so
 * that what he lost meanwhile does not count.
 */
import { HttpError, type Exchange } from '../http/index.js';
import type { Actor, ObjectAccess } from '../schema/index.js';
import type { FilesContext } from './context.js';

export interface Sender {
  readonly exchange: Exchange;
  readonly actor: Actor;
  readonly access: ObjectAccess;
  /** Of the principals that he is known by. */
  readonly generation: number;
}

/** Throws `AccessError`. */
export async function senderOf({ security }: FilesContext, exchange: Exchange): Promise<Sender> {
  const { generation } = security.principals;
  const actor = await security.authentication.authenticate(exchange);
  return { exchange, actor, access: await security.objectAccess.of(actor), generation };
}

/** The sender as he is now. Throws `AccessError`, and `HttpError` 401 when he is logged in no longer. */
export async function senderNow(context: FilesContext, sender: Sender): Promise<Sender> {
  const { principals, objectAccess } = context.security;
  if (principals.generation === sender.generation)
    return { ...sender, access: await objectAccess.of(sender.actor) };
  const now = await senderOf(context, sender.exchange);
  if (now.actor.id !== sender.actor.id) throw new HttpError(401, 'Access denied');
  return now;
}
