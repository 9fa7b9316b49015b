import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Config } from '../../src/main/config/index.js';

let folder: string;
let confPath: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-config-'));
  confPath = join(folder, 'svc.conf');
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the first start', () => {
  it('writes a file with a generated superuser password and nothing else', async () => {
    const config = await Config.load({ confPath, env: {} });
    const text = await readFile(confPath, 'utf8');
    expect(text).toMatch(/^superuser\.password = [\w-]{24}\n$/);
    expect((await stat(confPath)).mode & 0o777).toBe(0o600);
    expect(config.get('superuser.password')).toBe(text.slice('superuser.password = '.length).trim());
    expect(config.created).toBe(true);
    expect(config.get('application.http.port')).toBe(8082);
  });
});

describe('reading', () => {
  it('takes types from the catalogue', async () => {
    await writeFile(confPath, 'application.http.port = 9000\njson.indentation=FALSE\nlog.level: debug\n', {
      mode: 0o600,
    });
    const config = await Config.load({ confPath, env: {} });
    const port: number = config.get('application.http.port');
    const indent: boolean = config.get('json.indentation');
    const level: 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' = config.get('log.level');
    expect([port, indent, level]).toEqual([9000, false, 'DEBUG']);
    expect(config.problems).toEqual([]);
  });
});
