// A bare HTTP server in a process of its own: node http-child.mjs TRANSPORT. Says its ports in one line; `GET /count` tells the
// requests that were begun.
import { startHttpServer, HttpError } from '../../dist/src/main/http/index.js';

const [transport, certificate, key] = process.argv.slice(2);
const tlsCiphers = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';
const text20k = 'x'.repeat(20_000);
const piece = Buffer.alloc(60_000, 'y');
const turn = () => new Promise((resolve) => setTimeout(resolve, 1));

async function handle(x) {
  switch (x.path) {
    case '/small':
      x.end('small');
      return;
    case '/later':
      await turn();
      x.end(text20k);
      return;
    case '/large':
      x.setHeader('Content-Type', 'text/plain');
      x.end(Buffer.alloc(400_000, 'z'));
      return;
    case '/stream': {
      const out = x.startStream();
      for (let i = 0; i < 5; i++) await out.write(piece);
      await out.end();
      return;
    }
    case '/sized': {
      const out = x.startStream(piece.length * 5);
      for (let i = 0; i < 5; i++) await out.write(piece);
      await out.end();
      return;
    }
    case '/not-modified':
      x.status = 304;
      x.end();
      return;
    case '/no-content':
      await turn();
      x.status = 204;
      x.end();
      return;
    case '/fail':
      throw new Error('as it should');
    case '/body':
      try {
        x.end(await x.readBody(50_000));
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        x.status = error.status;
        x.end('refused');
      }
      return;
    case '/chunks': {
      let size = 0;
      try {
        for await (const chunk of x.bodyStream()) size += chunk.length;
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
      }
      x.end(String(size));
      return;
    }
    case '/half':
      await x.startStream().write('half');
      throw new Error('as it should');
    default:
      x.end(text20k);
  }
}

const options = {
  transport,
  host: '127.0.0.1',
  port: 0,
  maxBodyTime: 5000,
  idleTimeout: 5000,
  maxConnectionsPerAddress: 0,
  maxHeaderSize: 8192,
  gzip: true,
  responseHeaders: { 'X-Test': 'a' },
  ...(certificate === undefined
    ? {}
    : { tls: { port: 0, source: () => ({ kind: 'pem', certificate, key, passphrase: '' }), ciphers: tlsCiphers } }),
};
const server = await startHttpServer(options, handle);
// What is held when nobody asks for anything any more.
process.on('message', () => {
  const { bodies, answers } = server.budgets;
  process.send({ bodies: bodies.held, answers: answers.held, requests: server.activeRequests });
});
process.stdout.write(`${JSON.stringify({ port: server.port, securePort: server.securePort ?? 0 })}\n`);
process.on('disconnect', () => process.exit(0));
