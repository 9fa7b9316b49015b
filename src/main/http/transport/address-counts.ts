import { clientKey } from '../../../shared/network.js';
import type { SharedKeys } from '../counts/shared-keys.js';

/** What a client has open: here, and at its place in the table of all threads (-1: there is none for it). */
interface Open {
  here: number;
  readonly place: number;
}

/** Counts what clients have open, by their address; clients with IPv6 by their /64, of which one has all addresses. */
export class AddressCounts {
  readonly #open = new Map<string, Open>();

  /** 0: no limit. `shared`: what other threads count, too. */
  constructor(
    private readonly most: number,
    private readonly shared?: SharedKeys,
  ) {}

  /** One more; false when there are too many, and nothing is counted then. */
  admit(address: string): boolean {
    const client = clientKey(address);
    const open = this.#open.get(client);
    if (open === undefined) return this.#begin(client);
    const { shared, most } = this;
    if (shared === undefined || open.place < 0) {
      if (most > 0 && open.here >= most) return false;
    } else if (shared.add(open.place, 1) > most && most > 0) {
      shared.add(open.place, -1);
      return false;
    }
    open.here++;
    return true;
  }

  release(address: string): void {
    const client = clientKey(address);
    const open = this.#open.get(client);
    if (open === undefined) return;
    if (open.place >= 0) this.shared?.add(open.place, -1);
    if (--open.here <= 0) this.#open.delete(client);
  }

  /** The first of a client in this thread. */
  #begin(client: string): boolean {
    const { shared, most } = this;
    const place = shared?.take(client) ?? -1;
    if (shared !== undefined && place >= 0 && most > 0 && shared.count(place) > most) {
      shared.add(place, -1);
      return false;
    }
    this.#open.set(client, { here: 1, place });
    return true;
  }
}
