import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { tlsCiphers, type HttpServerOptions } from '../../src/main/http/index.js';
import { newCertificate } from '../support/certificates.js';
import { corpus, type Fate, type Malformed } from './corpus.js';
import { connect, onEachTransport, withServer, type RawConnection } from './support.js';

/** Longer than anything waits for the end of a body that nobody wants. */
const SILENCE = 1500;
/** For an answer that is to come: 150 connections may be slow to get theirs. */
const PATIENCE = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'svc-corpus-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** TLS with a certificate of its own. */
function secure(): NonNullable<HttpServerOptions['tls']> {
  const pair = newCertificate('corpus');
  const [certificate, key] = (['certificate', 'key'] as const).map((name) => {
    writeFileSync(join(folder, name), pair[name]);
    return join(folder, name);
  }) as [string, string];
  const ciphers = tlsCiphers({ included: '', excluded: '', excludedCiphers: '' });
  return { port: 0, source: () => ({ kind: 'pem', certificate, key, passphrase: '' }), ciphers, watchEvery: 60_000 };
}

async function fateOf(c: RawConnection, patience: number): Promise<Fate> {
  let closed = false;
  void c.closed.then(() => (closed = true));
  const end = Date.now() + patience;
  while (Date.now() < end && !closed && !c.text().includes(' 200 ')) await sleep(10);
  if (c.text().includes(' 200 ')) return 'served';
  if (/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 [45]/.test(c.text())) return closed ? 'refused' : 'silent';
  return closed ? 'closed' : 'silent';
}

onEachTransport((transport) => {
  test.each(['whole', 'in two pieces', 'over TLS'])(
    `what is ambiguous never runs, nor what hides in it (%s)`,
    async (how) => {
      const seen = new Set<string>();
      await withServer(
        async (x) => {
          // What is refused while its body is read has not run.
          await x.readBody(100_000);
          seen.add(x.path);
          x.end('ok');
        },
        async (_url, server) => {
          const found = await Promise.all(
            corpus.map(async (row, i) => {
              const { bytes, name } = row;
              const text = bytes.replaceAll('@', `/c${String(i)}`).replaceAll('§', `/hidden${String(i)}`);
              const c = await connect(server, how === 'over TLS');
              const raw = Buffer.from(text, text.includes('３') ? 'utf8' : 'latin1');
              const cut =
                how !== 'in two pieces' ? raw.length : Math.max(raw.indexOf(10) + 1, Math.floor(raw.length / 2));
              c.send(raw.subarray(0, cut));
              if (cut < raw.length) {
                await sleep(30);
                c.send(raw.subarray(cut));
              }
              const fate = await fateOf(c, expectedOf(row, transport) === 'silent' ? SILENCE : PATIENCE);
              c.socket.destroy();
              return { name, fate, ran: seen.has(`/c${String(i)}`), hidden: seen.has(`/hidden${String(i)}`) };
            }),
          );
          const wrong = corpus.flatMap((row, i) => {
            const expected = expectedOf(row, transport);
            const is = found[i];
            const ended = is?.fate === 'closed' && expected === 'refused' && transport === 'uws';
            const right = (is?.fate === expected || ended) && !is.hidden && is.ran === (expected === 'served');
            return right ? [] : [{ ...is, expected }];
          });
          expect(wrong).toEqual([]);
        },
        { maxHeaderSize: 8192, ...(how === 'over TLS' ? { tls: secure() } : {}) },
      );
    },
  );
});

/** What the binary of this Node does: those for Node 22 and newer have a newer parser. */
function expectedOf(row: Malformed, transport: 'node' | 'uws'): Fate {
  const fate = row[transport] === 'cut' ? 'silent' : row[transport];
  if (transport === 'node' || process.versions.modules === '115' || row[transport] === 'cut') return fate;
  if (/^chunk of size "(?:| 3|³)"$/.test(row.name)) return 'served';
  if (row.name === 'no version' || /^value "a(?:\\r)+b"$/.test(row.name)) return 'silent';
  return fate === 'silent' ? 'refused' : fate;
}

test('the corpus is large', () => {
  expect(corpus.length).toBeGreaterThan(150);
});
