import { describe, test } from 'vitest';
import { fightSockets } from '../support/socket-fight.js';
import { hasUws } from '../support/transports.js';

/** Both at once, as each leaves processors idle. */
describe.concurrent('clients that cut, pause, abort, reset and half-close at random do not end the process', () => {
  test.for(['uws', 'node'] as const)('%s; it died within seconds', async (transport, { expect, skip }) => {
    if (transport === 'uws' && !hasUws()) skip('uWebSockets.js does not load here');
    const { answers, exit, held } = await fightSockets(transport, 2, 100);
    expect(exit).toBeUndefined();
    expect(answers).toBeGreaterThanOrEqual(100);
    expect(held).toEqual({ bodies: 0, answers: 0, requests: 0 });
  });
});
