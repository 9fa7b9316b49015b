import { describe, test } from 'vitest';
import { fightSockets } from '../support/socket-fight.js';
import { hasUws } from '../support/transports.js';

/** Both at once, as each leaves processors idle: a minute and a half of wall time, three of fights. */
describe.concurrent('clients that break off at random do not end the process', () => {
  test.for(['uws', 'node'] as const)('%s', async (transport, { expect, skip }) => {
    if (transport === 'uws' && !hasUws()) skip('uWebSockets.js does not load here');
    const { answers, exit, held } = await fightSockets(transport, 90, 1000);
    expect(exit).toBeUndefined();
    expect(answers).toBeGreaterThanOrEqual(1000);
    expect(held).toEqual({ bodies: 0, answers: 0, requests: 0 });
  });
});
