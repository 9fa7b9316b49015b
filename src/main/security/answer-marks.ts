/**
 * What caches between here and a client must know of an answer: whom it is for. Without it a cache that keeps what it may
 * hands one user's `/me` to the next.
 */
import { PreparedHeaders, type Exchange } from '../http/index.js';
import type { Actor } from '../schema/index.js';

/** All that says who asks, and what compressing would add later, so that one prepared text serves both. */
const VARY = 'Cookie, Authorization, X-User, X-SvcSessionToken, Accept-Encoding';
const FOR_ANYBODY = new PreparedHeaders({ Vary: VARY });
const FOR_ONE = new PreparedHeaders({ 'Cache-Control': 'private, no-store', Vary: VARY });

/**
 * Marks an answer as made for `actor`: `Cache-Control: private, no-store` where somebody is known, by whichever means, and
 * `Vary` with all that could have said who asks. To be called once, before anything is answered.
 */
export function markAnswer(exchange: Exchange, actor: Actor): void {
  exchange.setHeaders(actor.id === undefined ? FOR_ANYBODY : FOR_ONE);
}

/** Marks an answer that hands out credentials, or is about them: for nobody but who asked, known or not. */
export function markPrivate(exchange: Exchange): void {
  exchange.setHeader('Cache-Control', 'private, no-store');
}
