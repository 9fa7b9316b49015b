/** The thread of `handed-over.ts`. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { startHttpServer, type HttpServerOptions } from '../../src/main/http/index.js';

const { options, port } = workerData as { readonly options: HttpServerOptions; readonly port: MessagePort };

const server = await startHttpServer({ ...options, mainThread: port }, (x) => {
  x.handOver();
});
parentPort?.postMessage(server.port);
