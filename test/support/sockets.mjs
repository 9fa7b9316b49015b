// Random clients against a server on this machine: node sockets.mjs PORT SECURE_PORT SECONDS. All kinds of requests, whole, cut, chunked
// and behind each other, then paused, aborted, reset or half-closed. Prints counts; exit 1: the server is gone.
import net from 'node:net';
import tls from 'node:tls';

const [port, securePort, seconds, least] = process.argv.slice(2).map(Number);
const until = Date.now() + seconds * 1000;
/** On a machine that is busy many clients are gone before they are answered: more come then. */
const patience = until + 120_000;
const random = (n) => Math.floor(Math.random() * n);
const pick = (list) => list[random(list.length)];
const PATHS = [
  '/',
  '/small',
  '/later',
  '/large',
  '/stream',
  '/sized',
  '/not-modified',
  '/no-content',
  '/fail',
  '/half',
];
const counts = { connections: 0, refused: 0, answers: 0, bytes: 0 };

function headers() {
  const lines = ['Host: localhost'];
  if (random(2))
    lines.push(pick(['Connection: close', 'Connection: close', 'Connection: keep-alive', 'connection: x, close']));
  if (random(4) === 0) lines.push('Accept-Encoding: gzip');
  return lines.map((line) => `${line}\r\n`).join('');
}

function chunked(body) {
  let text = '';
  for (let at = 0; at < body.length;) {
    const size = 1 + random(9000);
    const part = body.slice(at, at + size);
    text += `${part.length.toString(16)}\r\n${part}\r\n`;
    at += size;
  }
  return `${text}0\r\n${random(10) === 0 ? 'X-Trailer: y\r\n' : ''}\r\n`;
}

function request() {
  const kind = random(10);
  if (kind < 4) return `GET ${pick(PATHS)} HTTP/1.1\r\n${headers()}\r\n`;
  if (kind === 4) return `HEAD ${pick(PATHS)} HTTP/1.1\r\n${headers()}\r\n`;
  const path = pick(['/body', '/chunks', '/body', '/chunks', ...PATHS]);
  const body = 'b'.repeat(pick([0, 1, 5, 3000, 49_000, 60_000, 200_000]));
  if (kind < 7) return `POST ${path} HTTP/1.1\r\n${headers()}Content-Length: ${body.length}\r\n\r\n${body}`;
  if (kind === 7)
    return `PUT ${path} HTTP/1.1\r\n${headers()}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  if (kind === 8) return `POST ${path} HTTP/1.1\r\n${headers()}Transfer-Encoding: chunked\r\n\r\n${chunked(body)}`;
  return pick([
    `POST ${path} HTTP/1.1\r\n${headers()}Content-Length: 5\r\nContent-Length: 0\r\n\r\nabcde`,
    `POST ${path} HTTP/1.1\r\n${headers()}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `GET / HTTP/1.1\r\n${headers()}: x\r\n\r\n`,
    `GET / HTTP/1.0\r\n\r\n`,
    '\r\n\r\n\0\x01',
    `POST ${path} HTTP/1.1\r\n${headers()}Content-Length: 900000\r\n\r\nabc`,
  ]);
}

function connect() {
  if (securePort > 0 && random(4) === 0)
    return {
      event: 'secureConnect',
      socket: tls.connect({ port: securePort, host: '127.0.0.1', rejectUnauthorized: false }),
    };
  return { event: 'connect', socket: net.connect(port, '127.0.0.1') };
}

function talk() {
  return new Promise((done) => {
    counts.connections++;
    const { event, socket } = connect();
    socket.on('error', (error) => {
      if (error.code === 'ECONNREFUSED') counts.refused++;
    });
    socket.on('close', done);
    socket.on('data', (data) => {
      if (data.toString('latin1', 0, 5) === 'HTTP/') counts.answers++;
      counts.bytes += data.length;
    });
    socket.on(event, () => {
      let bytes = '';
      for (let n = 1 + random(3); n > 0; n--) bytes += request();
      const cuts = Array.from({ length: random(4) }, () => random(bytes.length)).sort((a, b) => a - b);
      let at = 0;
      const send = () => {
        if (socket.destroyed || socket.writableEnded) return;
        const next = cuts.shift() ?? bytes.length;
        socket.write(bytes.slice(at, next), 'latin1');
        at = next;
        if (at < bytes.length) setTimeout(send, random(5));
      };
      send();
      const end = random(6);
      if (end === 0) socket.pause();
      else if (end === 1) setTimeout(() => socket.destroy(), random(10));
      else if (end === 2 && socket.resetAndDestroy && event === 'connect')
        setTimeout(() => socket.resetAndDestroy(), random(10));
      else if (end === 3) setTimeout(() => socket.end(), random(5));
      if (end !== 0) socket.resume();
      setTimeout(() => socket.destroy(), random(3) === 0 ? 300 : 60);
    });
    setTimeout(() => socket.destroy(), 2000);
  });
}

async function client() {
  const goesOn = () => Date.now() < (counts.answers < least ? patience : until);
  while (goesOn() && counts.refused < 50) await talk();
}
await Promise.all(Array.from({ length: 16 }, client));
process.stdout.write(`${JSON.stringify(counts)}\n`);
process.exit(counts.refused > 0 ? 1 : 0);
