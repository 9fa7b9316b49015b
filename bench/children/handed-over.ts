/** A server that makes objects of nothing, and a front-end thread that hands all its requests over to it: what handing over costs, and nothing else. */
import { MessageChannel, Worker } from 'node:worker_threads';
import { startHttpServer, type Exchange, type HttpServerOptions } from '../../src/main/http/index.js';
import { serve } from '../child.js';

/** Ports of the server itself and of its thread. */
export interface HandedOverPorts {
  readonly direct: number;
  readonly thread: number;
}

const OPTIONS: HttpServerOptions = {
  host: '127.0.0.1',
  port: 0,
  maxBodyTime: 60_000,
  idleTimeout: 60_000,
  maxConnectionsPerAddress: 0,
  maxHeaderSize: 16 * 1024,
  gzip: true,
  responseHeaders: {},
};

/** About what an object that was made is answered with. */
async function answer(x: Exchange): Promise<void> {
  const body = JSON.parse((await x.readBody(1e6)).toString()) as Record<string, unknown>;
  x.status = 201;
  x.setHeader('Content-Type', 'application/json; charset=utf-8');
  x.end(JSON.stringify({ result: [String(body['rank']).padStart(32, '0')], result_count: 1 }, undefined, 2));
}

serve<'uws' | 'node', HandedOverPorts>(async (transport) => {
  const options = { ...OPTIONS, transport };
  const main = await startHttpServer(options, answer);
  const { port1, port2 } = new MessageChannel();
  main.serveThread(port1, answer);
  const thread = new Worker(new URL('./handed-over-thread.js', import.meta.url), {
    workerData: { options, port: port2 },
    transferList: [port2],
  });
  const port = await new Promise<number>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  process.removeAllListeners('disconnect');
  // Its thread has to end first (docs/design/http.md).
  process.on('disconnect', () => {
    void main.close(0).then(() => process.exit(0));
  });
  return { direct: main.port, thread: port };
});
