/** A test that lasts too long says where its servers are, and the others of its file do not wait for them. Vitest loads it before each file of `npm test`. */
import { afterEach } from 'vitest';
import { killAll } from './hanging.js';

afterEach(async ({ task }) => {
  for (const error of task.result?.errors ?? [])
    if (/^Test timed out/.test(error.message)) error.message += `\n${await killAll()}`;
});
