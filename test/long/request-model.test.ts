/** Random requests of an administrator and two users, checked against a model written from the contract. */
import { test } from 'vitest';
import { Random, secondsOf, seedOf } from '../fuzz/random.js';
import { World } from '../fuzz/world.js';
import { exclusive } from '../support/neo4j-lock.js';
import { onNeo4j } from '../support/server.js';

/** Requests to one server: objects get many, and lists long, with time. */
const REQUESTS = 1500;
/** Between two kills. */
const CALM = 300;

// A Neo4j is one database that tests empty.
if (onNeo4j) exclusive();

test('random requests are answered as the model says, and kills lose nothing', async () => {
  const first = seedOf('requests against a model');
  const end = Date.now() + secondsOf(60) * 1000;
  let requests = 0;
  const tally = new Map<string, number>();
  let seed = first;
  for (; seed === first || Date.now() < end; seed++) {
    const world = await World.make(new Random(seed));
    try {
      while (world.requests < REQUESTS && (Date.now() < end || world.requests < CALM)) {
        await world.step();
        if (world.requests % CALM === CALM - 1) {
          await world.compare();
          await world.kill();
        }
      }
      await world.compare();
    } finally {
      requests += world.requests;
      for (const [what, count] of world.tally) tally.set(what, (tally.get(what) ?? 0) + count);
      await world.stop();
    }
  }
  process.stderr.write(
    `${[...tally]
      .sort()
      .map(([what, count]) => `${what}: ${String(count)}`)
      .join('\n')}\n`,
  );
  process.stderr.write(`requests against a model: ${String(requests)} requests, ${String(seed - first)} schemas\n`);
});
