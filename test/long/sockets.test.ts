import { describe, expect, test } from 'vitest';
import { fightSockets } from '../support/socket-fight.js';

/** Both at once, as each leaves processors idle: eight minutes of wall time, sixteen of fights. */
describe.concurrent('clients that break off at random do not end the process', () => {
  test.each(['uws', 'node'] as const)('%s', async (transport) => {
    const { answers, exit, held } = await fightSockets(transport, 480);
    expect(exit).toBeUndefined();
    expect(answers).toBeGreaterThan(1000);
    expect(held).toEqual({ bodies: 0, answers: 0, requests: 0 });
  });
});
