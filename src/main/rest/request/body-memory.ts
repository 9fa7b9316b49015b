import { ByteBudget, overBudget, type ByteShare } from '../../http/index.js';

/** Most bytes that what is read of bodies may take, about; 0: no limit. */
export interface BodyMemoryLimits {
  readonly total: number;
  readonly perAddress: number;
  readonly perUser: number;
}

interface Client {
  readonly address: string;
}

/**
 * Counts what the values of request bodies take of the heap, from their parsing until their request has ended: for the
 * process, for each client address and for each user, who may have many addresses. A text of JSON can become twenty times
 * as large as it was. Nobody waits: what does not fit is refused, and gives up what it has.
 */
export class BodyMemory {
  readonly #addresses: ByteBudget;
  readonly #users: ByteBudget;

  constructor(limits: BodyMemoryLimits) {
    this.#addresses = new ByteBudget(limits);
    this.#users = new ByteBudget({ total: 0, perAddress: limits.perUser });
  }

  /** Holds for what is asked for from now on. */
  configure(limits: BodyMemoryLimits): void {
    this.#addresses.configure(limits);
    this.#users.configure({ total: 0, perAddress: limits.perUser });
  }

  /** Bytes that count now. */
  get held(): number {
    return this.#addresses.held;
  }

  /**
   * An empty share of one request; `user` is the id of who asks. To be released when the request has ended. The address is asked for
   * when something counts: to ask the socket for it takes a twentieth of a small POST.
   */
  share(client: Client, user: string | undefined): BodyShare {
    return new BodyShare(this.#addresses, this.#users, client, user);
  }
}

/** What one request holds. Costs nothing until it takes something. */
export class BodyShare {
  #ofAddress: ByteShare | undefined;
  #ofUser: ByteShare | undefined;

  constructor(
    private readonly addresses: ByteBudget,
    private readonly users: ByteBudget,
    private readonly client: Client,
    private readonly user: string | undefined,
  ) {}

  /** Counts so many bytes more. Throws `HttpError` 503 with `Retry-After` when they do not fit. */
  readonly acquire = (bytes: number): void => {
    this.#ofAddress ??= this.addresses.share(this.client.address);
    this.#ofAddress.acquire(bytes);
    if (this.user === undefined) return;
    this.#ofUser ??= this.users.share(this.user);
    if (!this.#ofUser.tryAcquire(bytes)) throw overBudget();
  };

  /** All of it is gone. */
  release(): void {
    this.#ofAddress?.release();
    this.#ofUser?.release();
  }
}
