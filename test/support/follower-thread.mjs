/* A front-end thread as far as the graph goes: reads what it is asked to, through a follower (test/graph/follower*.test.ts). */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteFollower } from '../../dist/src/main/graph/index.js';

const graph = openSqliteFollower(workerData.seat, workerData.options);
const now = () => Number(process.hrtime.bigint());
const told = [];
let held;

/** As a request: whoever begins now sees all that was shown. */
async function read(work, options) {
  await graph.current();
  return graph.read(work, options);
}

const call = (tx, [method, ...args]) => tx[method](...args);

const doings = {
  /** Calls in one transaction. */
  calls: ({ calls, snapshot }) =>
    read(
      async (tx) => {
        const answers = [];
        for (const one of calls) answers.push(await call(tx, one));
        return answers;
      },
      { snapshot },
    ),

  /** Makes lists, so that they are kept, without telling them. */
  async heat({ calls }) {
    await doings.calls({ calls });
  },

  /** Begins a transaction that sees one state, and reads in it. */
  async hold({ calls }) {
    let release;
    const more = new Promise((resolve) => {
      release = resolve;
    });
    await graph.current();
    let begun;
    const first = new Promise((resolve) => {
      begun = resolve;
    });
    const ended = graph.read(
      async (tx) => {
        const answer = async () => {
          const answers = [];
          for (const one of calls) answers.push(await call(tx, one));
          return answers;
        };
        begun(await answer());
        await more;
        return answer();
      },
      { snapshot: true },
    );
    held = { release, ended };
    return first;
  },

  /** The same again in it. */
  again() {
    held.release();
    return held.ended;
  },

  /** Keeps the loop busy. */
  compute({ milliseconds }) {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  },

  /** Does nothing at all until it is told to go on. */
  rest({ flag }) {
    Atomics.wait(new Int32Array(flag), 0, 0);
  },

  /** Reads one object again and again by several connections, until it is told to end. */
  async observe({ id, flag, connections, busy = 0 }) {
    const stop = new Int32Array(flag);
    const seen = [];
    const connection = async (number) => {
      for (let turn = 0; Atomics.load(stop, 0) === 0; turn++) {
        if (busy > 0 && number === 0 && turn % 50 === 49) doings.compute({ milliseconds: busy });
        const begin = now();
        const coming = graph.current();
        if (coming !== undefined) await coming;
        const node = await graph.read(
          async (tx) => {
            if ((turn + number) % 3 > 0) return tx.node(id);
            return (await tx.find({ kind: 'nodes', types: ['Register'], sort: [{ key: 'value' }], limit: 10 }))[0];
          },
          { snapshot: (turn & 1) === 0 },
        );
        seen.push([begin, now(), node.properties.value]);
        // The machine has others to serve.
        await (turn % 4 === 0 ? setTimeout(2) : setImmediate());
      }
    };
    await Promise.all(Array.from({ length: connections }, (_, i) => connection(i)));
    return seen;
  },

  /** Whether the sum over two nodes is the same in each transaction, with turns in between. */
  async sums({ ids, flag, options }) {
    const stop = new Int32Array(flag);
    const sums = new Set();
    let count = 0;
    for (; Atomics.load(stop, 0) === 0; count++) {
      const sum = await read(async (tx) => {
        let all = 0;
        for (const id of ids) {
          all += (await tx.node(id)).properties.n;
          await setImmediate();
        }
        return all;
      }, options);
      sums.add(sum);
    }
    return { sums: [...sums], count };
  },

  /** Keeps something of nodes of a type, as rooms do. */
  keep({ type }) {
    graph.caches.keep({
      name: 'test.kept',
      dependsOn: [type],
      concerns: (kind) => kind.type === type,
      changed: ({ changes }) => {
        told.push(changes === 'everything' ? changes : changes.map(({ verb, id, key }) => [verb, id, key]));
      },
    });
  },

  /** What it was told since. */
  async told() {
    await graph.current();
    return told.splice(0);
  },

  /** The codes of all that writes. */
  async refusals() {
    const code = async (work) => {
      try {
        await work();
        return 'none';
      } catch (error) {
        return error.code;
      }
    };
    const node = { id: 'x', type: 'T', properties: {} };
    const codes = {};
    codes.write = await code(() => graph.write((tx) => tx.createNode(node)));
    codes.journal = await code(() => graph.journal('x', () => []));
    codes.indexes = await code(() => graph.setIndexes([]));
    codes.clear = await code(() => graph.clear({ nodes: [], relationships: [] }, {}));
    codes.reindex = await code(() => graph.reindex('nodes', undefined, {}));
    codes.note = await code(() => graph.notes.set('a', 'b'));
    for (const locking of ['last', 'first-write', 'now']) {
      const tx = graph.open({ locking });
      codes[`open ${locking}`] = await code(() => tx.createNode(node));
      await tx.rollBack();
    }
    const reading = graph.open({ locking: 'last' });
    codes.reads = await code(() => reading.count({ kind: 'nodes' }));
    codes.commit = await code(() => reading.commit());
    return codes;
  },

  note: ({ name }) => graph.notes.get(name),
  figures: () => graph.figures(),
  close: () => graph.close(),
};

parentPort.on('message', async ({ serial, what, about }) => {
  try {
    parentPort.postMessage({ serial, answer: await doings[what](about ?? {}) });
  } catch (error) {
    parentPort.postMessage({ serial, failure: `${String(error.code)}: ${String(error.stack ?? error)}` });
  }
  if (what === 'close') parentPort.close();
});
parentPort.postMessage({ serial: 0 });
