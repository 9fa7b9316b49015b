import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { optionalPackages } from '../../src/shared/optional-package.js';
import { Client } from '../support/client.js';
import { installationWith, type Installation } from '../support/installation.js';
import { launch, type Launched } from '../support/launched.js';

let folder: string;
let installed: Installation | undefined;
let server: Launched | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-platforms-'));
});
afterEach(async () => {
  await server?.end();
  server = undefined;
  await installed?.remove();
  installed = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function start(
  packages: Readonly<Record<string, string | undefined>>,
  transport?: string,
  more = {},
): Promise<Launched> {
  installed = await installationWith(packages);
  const settings = { ...(transport === undefined ? {} : { 'application.http.transport': transport }), ...more };
  server = await launch(folder, { program: installed.program, settings });
  return server;
}

/** As uWebSockets.js throws it where glibc is older than its binary. */
const NEEDS_NEWER_GLIBC = `throw new Error("This version of uWS.js supports only some\\n\\nError: version \`GLIBC_2.99' not found");`;

describe('uWebSockets.js does not load', () => {
  it('the server takes the other transport, says so in one line, and serves', async () => {
    const { started, lines, port } = await start({ 'uWebSockets.js': NEEDS_NEWER_GLIBC });
    expect(await started, lines.join('\n')).toBeUndefined();
    const answer = await fetch(`http://127.0.0.1:${String(port())}/svc/rest/User`);
    expect(answer.status).toBe(401);
    const told = lines.filter((line) => line.includes('uWebSockets.js'));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/ WARN .*transport node: .*needs glibc 2\.99, and this system has .*processor time/);
  });

  it('where it is not installed, the line says that', async () => {
    const { started, lines } = await start({ 'uWebSockets.js': undefined });
    expect(await started, lines.join('\n')).toBeUndefined();
    expect(lines.filter((line) => /transport node: .*uWebSockets\.js is not installed/.test(line))).toHaveLength(1);
  });

  it('a setting that asks for it is an error with the cause', async () => {
    const { started, lines } = await start({ 'uWebSockets.js': NEEDS_NEWER_GLIBC }, 'uws');
    expect(await started).toBe(2);
    expect(lines.at(-1)).toMatch(/application\.http\.transport = uws cannot be kept: .*needs glibc 2\.99/);
  });
});

it('starts where no optional package is installed; a function that needs one names it', async () => {
  const without = Object.fromEntries(optionalPackages.map((name) => [name, undefined]));
  const { started, lines, port } = await start(without, undefined, { 'tracing.enabled': true });
  expect(await started, lines.join('\n')).toBeUndefined();
  expect(
    lines.filter((line) => /there are no traces: The optional package '@opentelemetry\/api'/.test(line)),
  ).toHaveLength(1);
  const admin = new Client(`http://127.0.0.1:${String(port())}`, 'admin', 'admin');
  const calls: readonly (readonly [source: string, missing: string])[] = [
    ["{ return $.jdbc('jdbc:postgresql://127.0.0.1:1/x', 'SELECT 1', 'a', 'b') }", 'pg'],
    ["{ return $.jdbc('jdbc:mysql://127.0.0.1:1/x', 'SELECT 1', 'a', 'b') }", 'mysql2'],
    ["{ return $.barcode('QR_CODE', 'text') }", 'bwip-js'],
    ["{ return $.azimuth('POINT (8 50)', 'POINT (9 50)') }", 'geographiclib-geodesic'],
  ];
  for (const [at, [source, missing]] of calls.entries()) {
    await admin.create('SchemaMethod', { name: `call${String(at)}`, source });
    const answer = await admin.post(`/call${String(at)}`, {});
    expect([answer.status, answer.body.code], source).toEqual([501, 501]);
    expect(answer.body.message).toContain(`The optional package '${missing}'`);
  }
});
