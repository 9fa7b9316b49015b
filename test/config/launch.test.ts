import { describe, expect, it } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { launchSettings } from '../../src/main/config/launch.js';
import { useFolder } from './support.js';

const place = useFolder();

async function launch(text: string, env: Record<string, string> = {}): Promise<ReturnType<typeof launchSettings>> {
  await writeFile(place.confPath, text);
  return launchSettings(place.confPath, env);
}

describe('heap limits for Node', () => {
  it.each([
    ['', {}, ['--max-old-space-size=4096']],
    ['application.heap.max_size = 512m\n', {}, ['--max-old-space-size=512']],
    ['Application.Heap.Max_Size = 2G\n', {}, ['--max-old-space-size=2048']],
    ['application.heap.max_size = 1048576k\n', {}, ['--max-old-space-size=1024']],
    ['application.heap.max_size = 512m\n', { SVC_application_heap_max__size: '1g' }, ['--max-old-space-size=1024']],
    [
      'application.heap.min_size = 256m\napplication.heap.max_size = 1g\n',
      {},
      ['--max-old-space-size=1024', '--initial-old-space-size=256'],
    ],
    [
      'application.heap.min_size = 2g\napplication.heap.max_size = 1g\n',
      {},
      ['--max-old-space-size=1024', '--initial-old-space-size=1024'],
    ],
  ])('%j and %j', async (text, env, flags) => {
    expect((await launch(text, env)).nodeFlags).toEqual(['--no-node-snapshot', ...flags]);
  });

  it('are never so small that Node cannot speak', async () => {
    const { nodeFlags, notes } = await launch('application.heap.max_size = 8k\n');
    expect(nodeFlags).toEqual(['--no-node-snapshot', '--max-old-space-size=64']);
    expect(notes).toEqual(['application.heap.max_size is less than Node needs; taking 64m']);
  });

  it('leave what makes no sense to the server, which says so', async () => {
    expect(
      await launch('nonsense\napplication.heap.max_size = big\n', { SVC_application_heap_min__size: '?' }),
    ).toEqual({
      nodeFlags: ['--no-node-snapshot', '--max-old-space-size=4096'],
      timeZone: 'UTC',
      restart: true,
      notes: [],
    });
    expect(launchSettings('/nowhere/svc.conf', {}).nodeFlags).toEqual([
      '--no-node-snapshot',
      '--max-old-space-size=4096',
    ]);
    expect(launchSettings('/', {}).nodeFlags).toEqual(['--no-node-snapshot', '--max-old-space-size=4096']);
  });
});

describe('the time zone', () => {
  const setting = 'application.timezone = Europe/Berlin\n';
  it.each([
    ['', {}, 'UTC'],
    ['', { TZ: 'Asia/Tokyo' }, 'Asia/Tokyo'],
    [setting, { TZ: 'Asia/Tokyo' }, 'Europe/Berlin'],
    [setting, { TZ: 'Asia/Tokyo', SVC_TIMEZONE: 'America/Lima' }, 'America/Lima'],
    [setting, { SVC_application_timezone: 'Asia/Tokyo' }, 'Asia/Tokyo'],
    [setting, { SVC_TIMEZONE: '' }, 'Europe/Berlin'],
    [setting, { SVC_TIMEZONE: 'Mars/Olympus' }, 'Europe/Berlin'],
  ])('%j and %j', async (text, env, timeZone) => {
    expect((await launch(text, env)).timeZone).toBe(timeZone);
  });
});

describe('starting again', () => {
  it.each([
    ['', {}, true],
    ['application.restart = false\n', {}, false],
    ['application.restart = false\n', { SVC_application_restart: 'true' }, true],
    ['application.restart = perhaps\n', {}, true],
  ])('%j and %j', async (text, env, restart) => {
    expect((await launch(text, env)).restart).toBe(restart);
  });
});
