/** The pools of work beside requests, as the settings want them. */
import { closePools, sizePools } from '../../shared/work/index.js';
import type { Config } from '../config/index.js';
import type { Part } from '../start-migrations.js';

/** Before anything uses them. What ends them. */
export function openPools(config: Config): Part {
  sizePools({
    short: config.get('application.threads.short'),
    long: config.get('application.threads.long'),
    waiting: config.get('application.threads.waiting'),
    memory: config.get('application.threads.memory'),
  });
  return { stop: closePools };
}
