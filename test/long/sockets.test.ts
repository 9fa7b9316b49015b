import { expect, test } from 'vitest';
import { fightSockets } from '../support/socket-fight.js';

/** Ten minutes together, most of them for the transport whose memory is not managed. */
test.each([
  ['uws', 420],
  ['node', 180],
] as const)('clients that break off at random do not end the process (%s, %i s)', async (transport, seconds) => {
  const { answers, exit, held } = await fightSockets(transport, seconds);
  expect(exit).toBeUndefined();
  expect(answers).toBeGreaterThan(1000);
  expect(held).toEqual({ bodies: 0, answers: 0, requests: 0 });
});
