import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** docs/interface/operations.md 1.4: there is one time zone, wherever it is set. */
describe('the time zone', () => {
  let server: TestServer | undefined;
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  it.each([
    ['SVC_TIMEZONE', { 'application.timezone': 'America/Lima' }, { SVC_TIMEZONE: 'Asia/Tokyo' }, 9],
    ['the setting', { 'application.timezone': 'America/Lima' }, { TZ: 'Asia/Tokyo' }, -5],
    ['TZ', {}, { TZ: 'Asia/Tokyo' }, 9],
    ['nothing', {}, { TZ: '' }, 0],
  ] as const)(
    'is that of %s, for dates of objects, scripts and the process',
    async (_, settings, environment, hours) => {
      server = await TestServer.start({ settings, environment, launched: true });
      const { admin } = server;
      const offset = `${hours < 0 ? '-' : '+'}0${String(Math.abs(hours))}00`;
      await admin.defineType('Event', [{ name: 'at', propertyType: 'Date' }]);
      const event = await admin.create('Event', { at: 1_700_000_000_000 });
      expect((await admin.get(`/Event/${event}`)).body.result.at).toBe(
        `${new Date(1_700_000_000_000 + hours * 3_600_000).toISOString().slice(0, 19)}${offset}`,
      );
      await admin.create('SchemaMethod', {
        name: 'clocks',
        source: '{ return [$.dateFormat($.toDate(1700000000000), "HH Z"), new Date(1700000000000).getHours()]; }',
      });
      const hour = (22 + hours) % 24;
      expect((await admin.post('/clocks')).body.result).toEqual([`${String(hour).padStart(2, '0')} ${offset}`, hour]);
    },
  );

  it('that is none ends the start', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
    const started = await TestServer.tryStart(folder, {
      environment: { SVC_TIMEZONE: 'Mars/Olympus' },
      launched: true,
    });
    expect(started.code).toBe(2);
    expect(started.lines.join('\n')).toContain(
      "environment variable SVC_TIMEZONE: 'application.timezone': 'Mars/Olympus': there is no such time zone",
    );
  });
});
