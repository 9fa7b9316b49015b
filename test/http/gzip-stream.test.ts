/** Answers that are compressed while they are sent, for a client that takes nothing and goes. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { GzipStream, PlainStream } from '../../src/main/http/response/response-stream.js';

it('nobody waits for a client that is gone', async () => {
  let sent = 0;
  const target = {
    writeChunk: (): boolean => {
      sent++;
      return false;
    },
    endStream: () => undefined,
    silent: false,
  };
  const stream = new GzipStream(new PlainStream(target));
  const all = [stream.write(randomBytes(1 << 20)), stream.write(randomBytes(1 << 20)), stream.flush()];
  await expect.poll(() => sent).toBe(1);
  target.silent = true;
  stream.onGone();
  await Promise.all(all);
  await stream.write('more');
  await stream.flush();
  await stream.end();
  expect(sent).toBe(1);
});
