import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fromEnvironmentName, OWN_NAMES } from '../../src/main/config/environment.js';
import { settingNames } from '../../src/main/config/index.js';
import { TestServer } from '../support/server.js';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** Exit code and output of a script of `docker/`. */
const run = (script: string, cwd: string, ...args: string[]): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, 'docker', script), ...args], { cwd }, (error, out) => {
      resolve({ code: error === null ? 0 : Number(error.code), out });
    });
  });

/** There may be no Docker where tests run: what an image and the compose files say is looked at, not run. */
describe.each(['compose.yaml', 'compose.neo4j.yaml'])('%s', (name) => {
  const text = read(name);

  it('names only settings that there are', () => {
    const variables = [...text.matchAll(/^ +(SVC_\w+):/gm)].map((match) => match[1] ?? '');
    expect(variables.length).toBeGreaterThan(0);
    const known: readonly string[] = settingNames;
    const unknown = variables.filter((one) => !OWN_NAMES.has(one) && !known.includes(fromEnvironmentName(one) ?? ''));
    expect(unknown).toEqual([]);
  });

  it('demands a password for the first user', () => {
    expect(text).toMatch(/SVC_initialuser_password: \$\{SVC_PASSWORD:\?[^}]+\}/);
  });

  it('keeps its data in volumes that it declares', () => {
    const declared = [...(text.split(/^volumes:$/m)[1] ?? '').matchAll(/^ {2}([\w-]+):$/gm)].map((match) => match[1]);
    const used = [...text.matchAll(/^ +- ([\w-]+):\/\S+$/gm)].map((match) => match[1]);
    expect([...new Set(used)].sort()).toEqual(declared.sort());
    expect(used).toContain('svc-data');
  });
});

it('the proxy of compose.neo4j.yaml knows every instance, and the instances know the proxy', () => {
  const text = read('compose.neo4j.yaml');
  const instances = [...text.matchAll(/^ {2}(svc-\d+):$/gm)].map((match) => match[1]);
  const upstream = /reverse_proxy (.*) \{/.exec(read('docker/Caddyfile'))?.[1]?.split(' ');
  expect(upstream).toEqual(instances.map((name) => `${String(name)}:8082`));
  const proxy = /ipv4_address: (\S+)/.exec(text)?.[1];
  expect(/SVC_httpservice_trustedproxies: (\S+)/.exec(text)?.[1]).toBe(proxy);
});

it('Dockerfile copies what there is, and names settings that there are', () => {
  const text = read('Dockerfile');
  const sources = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) => (match[1] ?? '').split(' '));
  const missing = sources.filter((name) => !existsSync(join(ROOT, name.replace('*.json', '.json'))));
  expect([sources.length > 8, missing]).toEqual([true, []]);
  expect(sources).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'docs']));
  const ignored = read('.dockerignore').split('\n');
  expect(sources.filter((name) => ignored.includes(name))).toEqual([]);
  const variables = [...text.matchAll(/(SVC_[a-z]\w*)=/g)].map((match) => match[1] ?? '');
  for (const one of variables) expect(settingNames).toContain(fromEnvironmentName(one));
});

it('the image keeps only what is loaded there', () => {
  expect(read('Dockerfile')).toMatch(/npm prune --omit=dev && node bin\/drop-binaries\.js --lean/);
});

describe('docker/healthcheck.mjs', () => {
  it('is well while the server of the folder answers, and no longer', async () => {
    const server = await TestServer.start();
    const { folder, port } = server;
    try {
      await server.reload({ 'application.http.port': port });
      expect(await run('healthcheck.mjs', folder)).toEqual({ code: 0, out: '' });
      // Its page may be switched off, which the proxy must not take for an end either.
      await server.reload({ 'httpservice.welcome.enabled': false });
      const asked = /health_uri (\S+)/.exec(read('docker/Caddyfile'))?.[1] ?? '';
      expect((await fetch(`${server.url}${asked}`)).status).toBe(200);
      expect(await run('healthcheck.mjs', folder)).toEqual({ code: 0, out: '' });
      await server.end();
      expect(await run('healthcheck.mjs', folder)).toMatchObject({ code: 1, out: expect.stringContaining('fetch') });
    } finally {
      await server.end();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
