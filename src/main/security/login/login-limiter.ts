import { performance } from 'node:perf_hooks';
import { clientKey } from '../../../shared/network.js';
import { RateWindow } from '../../../shared/rate-window.js';
import type { Config } from '../../config/index.js';
import { AccessError } from '../errors.js';

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
  /** Of each address, how many are being tried. */
  private readonly running = new Map<string, number>();

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
    this.admit(key, limit, now);
    this.attempts.add(key, now);
  }

  /**
   * Tries credentials that come with every request: only those that are refused (`AccessError`) count as attempts. Until
   * it is known whether they are, they count as well, so that a thousand at once are no more than one after the other.
   * Throws what `attempt` throws, and like `check`.
   */
  async guard<T>(address: string, attempt: () => Promise<T>): Promise<T> {
    const limit = this.config.get('security.login.maxperminute');
    if (limit <= 0) return attempt();
    const key = clientKey(address);
    this.admit(key, limit, performance.now());
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof AccessError) this.attempts.add(key, performance.now());
      throw error;
    } finally {
      const left = (this.running.get(key) ?? 1) - 1;
      if (left > 0) this.running.set(key, left);
      else this.running.delete(key);
    }
  }

  private admit(key: string, limit: number, now: number): void {
    this.attempts.forget(now, MINUTE);
    const made = this.attempts.count(key, now) + (this.running.get(key) ?? 0);
    if (made + 1 <= limit) return;
    // Attempts leave the window evenly over a minute.
    const wait = Math.min(60, Math.max(1, Math.ceil(((made + 1 - limit) * 60) / Math.max(1, made))));
    throw new AccessError('Too many attempts to log in from this address; try again later.', 429, {
      'Retry-After': String(wait),
    });
  }
}
