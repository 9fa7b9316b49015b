import { logger } from '../../../shared/log.js';

const log = logger('http');
const TOLD_EVERY_MS = 60_000;

/**
 * Counts the open connections of a process, over all its ports: when the system lets it open no more files, nobody connects, and neither files nor
 * databases can be opened.
 */
export class ConnectionCount {
  #open = 0;
  #told = -Infinity;

  /** 0: no limit. */
  constructor(readonly most: number) {}

  get open(): number {
    return this.#open;
  }

  /** One more, which is counted in any case; false: it is to be closed at once. */
  admit(): boolean {
    this.#open++;
    if (this.most === 0 || this.#open <= this.most) return true;
    const now = Date.now();
    if (now - this.#told > TOLD_EVERY_MS) {
      log.warn(`${String(this.most)} connections are open, more are closed at once (httpservice.connections.max)`);
      this.#told = now;
    }
    return false;
  }

  release(): void {
    this.#open--;
  }
}
