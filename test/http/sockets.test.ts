import { expect, test } from 'vitest';
import { fightSockets } from '../support/socket-fight.js';
import { hasUws } from '../support/transports.js';

test.for(['uws', 'node'] as const)(
  'clients that cut, pause, abort, reset and half-close at random do not end the process (%s; it died within seconds)',
  async (transport, { skip }) => {
    if (transport === 'uws' && !hasUws()) skip('uWebSockets.js does not load here');
    const { answers, exit, held } = await fightSockets(transport, 6);
    expect(exit).toBeUndefined();
    expect(answers).toBeGreaterThan(100);
    expect(held).toEqual({ bodies: 0, answers: 0, requests: 0 });
  },
);
