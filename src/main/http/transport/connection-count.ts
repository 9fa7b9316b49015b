import { logger } from '../../../shared/log.js';
import type { ProcessCounts } from '../counts/process-counts.js';
import { Tally } from '../counts/tally.js';

const log = logger('http');
const TOLD_EVERY_MS = 60_000;

/**
 * Counts the open connections of a process, over all its ports and threads: when the system lets it open no more files, nobody connects, and
 * neither files nor databases can be opened.
 */
export class ConnectionCount {
  readonly #open: Tally;
  #last = 0;
  #told = -Infinity;

  /** 0: no limit. `shared`: other threads have connections, too. */
  constructor(
    readonly most: number,
    private readonly shared?: ProcessCounts,
  ) {
    this.#open = shared?.tally('connections') ?? new Tally();
  }

  get open(): number {
    return this.#open.total;
  }

  /** A number that no other connection has. */
  nextId(): number {
    return this.shared?.nextId() ?? ++this.#last;
  }

  /** One more, which is counted in any case; false: it is to be closed at once. */
  admit(): boolean {
    const open = this.#open.add(1);
    if (this.most === 0 || open <= this.most) return true;
    const now = Date.now();
    if (now - this.#told > TOLD_EVERY_MS) {
      log.warn(`${String(this.most)} connections are open, more are closed at once (httpservice.connections.max)`);
      this.#told = now;
    }
    return false;
  }

  release(): void {
    this.#open.add(-1);
  }
}
