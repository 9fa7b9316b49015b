/** What computes at the moment: the loop, workers, and scripts of users in isolates, which can be ended. */
import type { JsonObject } from '../../../../shared/json/index.js';
import { CommandError, type MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';

const NAME = 'manageThreads';
/** Numbers of scripts begin behind those of threads. */
const SCRIPTS = 1_000_000;
/** From which part of its time on a thread is told to run. */
const BUSY = 0.5;

export const manageThreads: MaintenanceCommand = {
  name: NAME,
  run({ threads, scripting, actor }, input) {
    const parameters = new Parameters(NAME, input);
    parameters.only('command', 'id');
    const command = parameters.word('command', ['list', 'interrupt', 'kill']);
    const id = parameters.number('id');
    if (command === undefined) throw parameters.wrong('command', 'one of list, interrupt, kill');
    const scripts = scripting.running();
    if (command === 'list') {
      const all = [
        ...threads.list().map(({ id: thread, name, cpuTime, busy }) => shown(thread, name, cpuTime, busy >= BUSY, [])),
        ...scripts.map(({ id: script, title, user, cpuTime, computes }) =>
          shown(SCRIPTS + script, `script ${title}`, cpuTime / 1000, computes, [title, `user ${user}`]),
        ),
      ];
      return Promise.resolve(all.sort((a, b) => Number(b['cpuTime']) - Number(a['cpuTime'])));
    }
    if (id === undefined) throw parameters.wrong('id', 'the number of a thread in the list');
    if (id < SCRIPTS && threads.list().some((one) => one.id === id)) {
      throw new CommandError(422, `Thread ${String(id)} belongs to the server: only scripts can be ended.`);
    }
    // What one of them has not committed is taken back.
    if (!scripting.end(id - SCRIPTS, actor.name)) throw new CommandError(422, `There is no thread ${String(id)}.`);
    return Promise.resolve([]);
  },
};

function shown(id: number, name: string, cpuTime: number, runs: boolean, stack: string[]): JsonObject {
  return {
    id,
    name,
    alive: true,
    state: runs ? 'RUNNABLE' : 'WAITING',
    // All have the same.
    priority: 5,
    cpuTime: Math.round(cpuTime * 1000) / 1000,
    // Threads share no locks.
    deadlock: false,
    stack,
  };
}
