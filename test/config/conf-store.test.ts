/** The settings file survives whatever ends the service while it writes it, and any length (contract, Configuration). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { load, useFolder } from './support.js';

const CHILD = fileURLToPath(new URL('../support/conf-child.mjs', import.meta.url));
const LINES = 10_000;

describe('svc.conf', () => {
  const place = useFolder();

  it('is the old one or the new one when the process is killed while it writes it', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 15; round++) {
      const child = spawn(process.execPath, [CHILD, place.confPath, String(LINES)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      await sleep(Math.random() * 60);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const text = await readFile(place.confPath, 'utf8').catch(() => 'none');
      // None at all: it was killed within the first write.
      const [, name = 'none'] = /^application\.title = (\w+)$/m.exec(text) ?? [];
      seen.add(name);
      if (name !== 'none') expect(text.split('\n')).toHaveLength(LINES + 2);
      else expect(text).toBe('none');
    }
    expect([...seen].filter((name) => name !== 'none').length).toBeGreaterThan(0);
  });

  it('may have 10,000 lines, all of which stay when one setting is changed', async () => {
    const own = Array.from({ length: LINES }, (_, i) =>
      i % 2 === 0 ? `# line ${String(i)}` : `dynamic.key.${String(i)} = value ${String(i)}`,
    );
    const before = `${own.join('\n')}\napplication.title = before\n`;
    const config = await load(place.confPath, before);
    expect(config.get('application.title')).toBe('before');
    config.set('application.title', 'after');
    await config.save();
    const text = await readFile(place.confPath, 'utf8');
    expect(text).toBe(before.replace('before\n', 'after\n'));
  });
});
