/** When a command began and ended, as the headers of its answer say it (docs/interface/operations.md 9.1). */
import { dateFormatter, datePattern, TimeZone } from '../../../shared/dates/index.js';
import type { Config } from '../../config/index.js';

const PATTERN = datePattern('EEE MMM dd HH:mm:ss z yyyy', 'simple');

/** `start` and `end` as texts in the time zone of the server, and `duration` in seconds; times in milliseconds since 1970. */
export function timesOf(
  config: Config,
  began: number,
  ended: number,
): readonly (readonly [name: string, value: string])[] {
  const zone =
    TimeZone.of(config.get('application.timezone')) ?? TimeZone.of(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const format = dateFormatter(PATTERN, zone ?? TimeZone.ofOffset(0));
  return [
    ['start', format(began)],
    ['end', format(ended)],
    ['duration', `${((ended - began) / 1000).toFixed(2)}s`],
  ];
}
