import { performance } from 'node:perf_hooks';
import { clientKey } from '../../shared/network.js';
import { RateWindow } from '../../shared/rate-window.js';
import type { Config } from '../config/index.js';
import { AccessError } from './errors.js';

const MINUTE = 60_000;

/**
 * Attempts to log in per client address (`security.login.maxperminute`): passwords cannot be guessed at full speed,
 * whichever users they are tried on. Refused attempts do not count, so that who waits as told gets in.
 *
 * ```ts
 * limiter.check(exchange.address); // before anything is compared
 * ```
 */
export class LoginLimiter {
  private readonly attempts: RateWindow;

  constructor(
    private readonly config: Config,
    maxAddresses?: number,
  ) {
    this.attempts = new RateWindow(MINUTE, maxAddresses);
  }

  /**
   * Counts an attempt of this address (`exchange.address`); IPv6 addresses count by their /64. Throws `AccessError` 429
   * with `Retry-After` when there were too many.
   */
  check(address: string, now = performance.now()): void {
    const limit = this.config.get('security.login.maxperminute');
    if (limit <= 0) return;
    const key = clientKey(address);
    this.attempts.forget(now, MINUTE);
    const made = this.attempts.count(key, now);
    if (made + 1 <= limit) {
      this.attempts.add(key, now);
      return;
    }
    // Attempts leave the window evenly over a minute.
    const wait = Math.min(60, Math.max(1, Math.ceil(((made + 1 - limit) * 60) / Math.max(1, made))));
    throw new AccessError('Too many attempts to log in from this address; try again later.', 429, {
      'Retry-After': String(wait),
    });
  }
}
