/** Changes subjects at random by many connections, and asks many after each: nobody may see the past (docs/design/threads.md 4). */
import type { Connection } from '../../support/many-connections.js';
import type { Random } from '../random.js';
import type { Subject } from './subject.js';

/** Connections that ask what takes long. */
const FEW = 3;

export interface Played {
  readonly changes: number;
  readonly looks: number;
}

/**
 * Each subject is changed by one after the other and all subjects at once, until `enough` says so. Throws with the first that was seen as it was
 * before, and which connection has seen it.
 */
export async function play(
  subjects: readonly Subject[],
  connections: readonly Connection[],
  random: Random,
  enough: (changesOfSubject: number) => boolean,
): Promise<Played> {
  let [changes, looks] = [0, 0];
  const one = async (subject: Subject): Promise<void> => {
    for (let count = 0; !enough(count); count++) {
      await subject.change(random.pick(connections));
      changes++;
      const asked = subject.looks().flatMap((look) => {
        const order = shuffled(connections, random);
        return order.slice(0, look.few === true ? FEW : order.length).map(async (connection) => {
          const got = await connection.send('GET', look.path, undefined, look.headers);
          looks++;
          const seen = look.see(got);
          if (JSON.stringify(seen) === JSON.stringify(look.expected)) return;
          const where = `connection ${String(connections.indexOf(connection))} saw ${JSON.stringify(seen)}`;
          throw new Error(
            `${subject.name}, change ${String(count + 1)}, ${look.path}: ${where} and not ${JSON.stringify(look.expected)} (${String(got.status)} ${got.text.slice(0, 200)})`,
          );
        });
      });
      await Promise.all(asked);
    }
  };
  await Promise.all(subjects.map(one));
  return { changes, looks };
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const rest = [...list];
  return Array.from({ length: list.length }, () => rest.splice(random.below(rest.length), 1)[0] as T);
}
