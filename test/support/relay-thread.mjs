// A front-end thread that hands everything over but what begins with /here (of what is built): started by test/http/relayed.ts.
import { parentPort, workerData } from 'node:worker_threads';
import {
  AddressCounts,
  ConnectionCount,
  ProcessCounts,
  RateLimiter,
  startHttpServer,
} from '../../dist/src/main/http/index.js';

const { options, main, counts, thread, limits, most } = workerData;
const shared = counts === undefined ? undefined : new ProcessCounts(counts, thread);

/** What this thread answers itself. */
const answer = async (x) => {
  if (x.path === '/here/read') {
    // Too late to hand it over.
    await x.readBody(1000);
    x.end(String(x.handOver()));
  } else if (x.path === '/here/throw') {
    setImmediate(() => {
      throw new Error('the thread dies');
    });
  } else if (x.path === '/here/exit') process.exit(3);
  else x.end(`here ${String(thread)} ${x.remoteAddress} ${String(shared === undefined ? 0 : x.connectionId)}`);
};
const handler = (x) => {
  // Set by who finds out later that it cannot answer.
  x.setHeader('X-Lost', 'yes');
  if (!x.path.startsWith('/here')) {
    if (!x.handOver()) throw new Error('not handed over');
    x.setHeader('X-Lost', 'too late');
    x.end('lost');
    return undefined;
  }
  return answer(x);
};
const limiter = limits === undefined ? undefined : new RateLimiter(limits, shared);

const server = await startHttpServer(
  {
    ...options,
    mainThread: main,
    ...(options.tls === undefined ? {} : { tls: { ...options.tls, source: () => undefined } }),
    ...(shared === undefined
      ? {}
      : {
          connections: new ConnectionCount(most ?? 0, shared),
          addresses: new AddressCounts(options.maxConnectionsPerAddress, shared.keys('addresses')),
        }),
  },
  limiter === undefined ? handler : limiter.wrap(handler),
);
parentPort.postMessage({ port: server.port, securePort: server.securePort });
parentPort.on('message', (asked) => {
  if (asked === 'throw') throw new Error('the thread dies');
  if (asked === 'figures')
    parentPort.postMessage({
      requests: server.activeRequests,
      bodies: server.budgets.bodies.held,
      answers: server.budgets.answers.held,
    });
  // Nothing but what it serves keeps it.
  if (asked === 'leave') parentPort.close();
});
