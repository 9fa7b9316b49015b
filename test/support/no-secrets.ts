/** Fails a file of tests whose servers have printed or answered a secret of their settings. Vitest loads it before each file of `npm test`. */
import { afterAll } from 'vitest';
import { takeLeaks } from './secrets.js';

afterAll(() => {
  const leaks = takeLeaks();
  if (leaks.length > 0) throw new Error(`A secret was told, in ${leaks.join('; in ')}`);
});
