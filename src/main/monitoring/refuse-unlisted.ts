import { logger } from '../../shared/log.js';
import type { Exchange } from '../http/index.js';

const log = logger('monitoring');
/** Milliseconds between two lines: whoever asks again and again must not fill the log. */
const BETWEEN = 60_000;

const told = new Map<string, number>();

/** Answers 403 to who is not on the list of this setting, and says so in the log. */
export function refuseUnlisted(exchange: Exchange, setting: string): void {
  const now = Date.now();
  if (now - (told.get(setting) ?? -BETWEEN) >= BETWEEN) {
    told.set(setting, now);
    log.warn(
      `refused ${exchange.path} to ${exchange.address}, which ${setting} does not list (further ones are not told for a minute)`,
    );
  }
  exchange.status = 403;
  exchange.end();
}
