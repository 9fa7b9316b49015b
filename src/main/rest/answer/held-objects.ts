import { sizeOfEntity, type GraphEntity } from '../../graph/index.js';
import type { ByteShare } from '../../http/index.js';

/** Answers that keep an object; the first of them pays for it. */
interface Keepers {
  readonly bytes: number;
  readonly shares: Set<ByteShare>;
}

/**
 * Large objects that answers keep while they leave. Many answers may keep the same object, which is in memory once: it counts once
 * in the budget of answers, for the first of them, and when that one is over, for the next.
 */
export class HeldObjects {
  readonly #kept = new Map<GraphEntity, Keepers>();

  /** Objects that are counted now. */
  get size(): number {
    return this.#kept.size;
  }

  /** Throws `HttpError` 503 when it does not fit. */
  keep(entity: GraphEntity, share: ByteShare): void {
    const kept = this.#kept.get(entity);
    if (kept !== undefined) {
      kept.shares.add(share);
      return;
    }
    const bytes = sizeOfEntity(entity);
    share.acquire(bytes);
    this.#kept.set(entity, { bytes, shares: new Set([share]) });
  }

  leave(entity: GraphEntity, share: ByteShare): void {
    const kept = this.#kept.get(entity);
    if (kept === undefined) return;
    const { bytes, shares } = kept;
    const [payer] = shares;
    if (!shares.delete(share) || payer !== share) return;
    share.give(bytes);
    this.#kept.delete(entity);
    for (const next of shares) {
      if (!next.tryAcquire(bytes)) continue;
      shares.delete(next);
      this.#kept.set(entity, { bytes, shares: new Set([next, ...shares]) });
      return;
    }
    // The budgets of all others are full. What they wait for is in memory already; cutting them off would help nobody.
  }
}

/** What one answer keeps of them. */
export class AnswerMemory {
  /** How many texts of each are to leave. */
  readonly #entities = new Map<GraphEntity, number>();
  #bytes = 0;

  constructor(
    private readonly objects: HeldObjects,
    private readonly share: ByteShare,
  ) {}

  /** The answer keeps a large object, until `leave`, or until it is over. Throws `HttpError` 503 when that does not fit. */
  keep(entity: GraphEntity): void {
    const texts = this.#entities.get(entity) ?? 0;
    if (texts === 0) this.objects.keep(entity, this.share);
    this.#entities.set(entity, texts + 1);
  }

  /** A text of it has left. */
  leave(entity: GraphEntity): void {
    const texts = this.#entities.get(entity) ?? 0;
    if (texts > 1) this.#entities.set(entity, texts - 1);
    else if (this.#entities.delete(entity)) this.objects.leave(entity, this.share);
  }

  /** The answer keeps so many bytes that are its own, until `leaveBytes`, or until the request is over. Throws `HttpError` 503. */
  keepBytes(bytes: number): void {
    this.share.acquire(bytes);
    this.#bytes += bytes;
  }

  leaveBytes(bytes: number): void {
    this.share.give(bytes);
    this.#bytes -= bytes;
  }

  /** What it has kept so far is thrown away: the answer is made anew. */
  startAgain(): void {
    this.release();
    this.leaveBytes(this.#bytes);
  }

  /** The answer is over. */
  release(): void {
    for (const entity of this.#entities.keys()) this.objects.leave(entity, this.share);
    this.#entities.clear();
  }
}
