/** Videos that want to do harm, and servers that are killed while they work (docs/interface/media.md 3; docs/design/media.md, Videos). */
import { readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasFfmpeg } from '../support/chromium.js';
import { contentsOnDisk, file, served, until, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';
import { memoryOf } from '../support/storage.js';
import { clip, converted, processed, programsOf, type Clip } from '../support/videos.js';

const SMALL = { seconds: 0.4, size: '48x32' } as const;
const CONTAINERS: readonly Clip[] = [
  { ...SMALL, ending: 'mkv', options: ['-c:v', 'mpeg4', '-c:a', 'libmp3lame'] },
  { ...SMALL, ending: 'mp4', options: ['-preset', 'ultrafast'] },
  { ...SMALL, ending: 'webm', options: ['-c:v', 'libvpx', '-c:a', 'libopus'] },
  { ...SMALL, ending: 'avi', options: ['-c:v', 'mpeg4', '-c:a', 'libmp3lame'] },
];
/** Of each container. A program needs a tenth of a second to begin: 300 take minutes. */
const MUTATIONS = process.env['SVC_TEST_VIDEOS'] === 'all' ? 300 : 75;

if (!hasFfmpeg()) console.warn('skipped: test/long/video.test.ts needs ffmpeg and ffprobe');

interface Row {
  readonly id: string;
  readonly name: string;
  readonly processingState: string | null;
  readonly processingMessage: string | null;
  readonly size: number;
}

async function videosOf({ admin }: TestServer): Promise<Row[]> {
  return ((await admin.get('/VideoFile/all?_pageSize=5000')).body as { result: Row[] }).result;
}

/** Until nothing is done with any video. */
async function idle(server: TestServer): Promise<void> {
  const count = async (state: string): Promise<number> =>
    Number((await server.admin.get(`/VideoFile?processingState=${state}&_pageSize=1`)).body.result_count);
  await until(async () => (await count('QUEUED')) + (await count('RUNNING')) === 0, 'all are processed', 280_000);
}

/** Bytes with some that are others, or without their end; the same for the same number. */
function mutated(bytes: Buffer, number: number): Buffer {
  let seed = number + 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >>> 8) % below;
  };
  if (number % 3 === 0) return Buffer.from(bytes.subarray(0, random(bytes.length)));
  const copy = Buffer.from(bytes);
  // The beginning is where lengths and counts are.
  const within = number % 3 === 1 ? 600 : copy.length;
  for (let i = 0; i <= random(12); i++) {
    const at = random(Math.min(within, copy.length));
    copy.writeUInt8(copy.readUInt8(at) ^ (1 << random(8)), at);
  }
  return copy;
}

describe.skipIf(!hasFfmpeg())('videos of who means no good', () => {
  let server: TestServer;
  let listening: Server;
  let requests = 0;
  let address: string;

  beforeAll(async () => {
    listening = createServer((_, res) => {
      requests++;
      res.end('#EXTM3U\n');
    });
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${String((listening.address() as AddressInfo).port)}/x`;
    server = await TestServer.start({ settings: { 'application.threads.long': 4 } });
  });
  afterAll(async () => {
    await server.stop();
    listening.close();
  });

  /** An AVI whose subtitles are a playlist, and one behind a whole Matroska file. */
  const within = async (playlist: string): Promise<[string, Buffer][]> => {
    const [mkv, , , avi] = CONTAINERS;
    const [film, old] = [await clip(mkv ?? { ending: 'mkv' }), await clip(avi ?? { ending: 'avi' })];
    const text = Buffer.from(playlist);
    const gab2 = Buffer.concat([Buffer.from('GAB2\0\x02\0\0\0\0\0\0\0\x04\0', 'latin1'), Buffer.alloc(4), text]);
    gab2.writeUInt32LE(text.length, 15);
    const chunk = Buffer.concat([Buffer.from('01tx'), Buffer.alloc(4), gab2]);
    chunk.writeUInt32LE(gab2.length, 4);
    const movi = old.indexOf('movi') + 4;
    return [
      ['subtitles.avi', Buffer.concat([old.subarray(0, movi), chunk, old.subarray(movi)])],
      ['behind.mkv', Buffer.concat([film, text])],
    ];
  };

  it('read no other file, and ask no server', async () => {
    const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXTINF:1,\n${address}\n#EXT-X-ENDLIST\n`;
    const texts: [string, string][] = [
      ['list.mkv', playlist],
      ['master.mp4', `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${address}\n`],
      ['concat.mkv', `ffconcat version 1.0\nfile '/etc/passwd'\nfile '${address}'\n`],
      ['protocol.mkv', `concat:/etc/passwd|${address}`],
      ['data.mkv', 'data:text/plain;base64,I0VYVE0zVQo='],
      ['stream.sdp', 'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n'],
      [
        'dash.mp4',
        `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet><Representation><BaseURL>${address}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
      ],
    ];
    const all = [
      ...texts.map(([name, text]): [string, Buffer] => [name, Buffer.from(text)]),
      ...(await within(playlist)),
    ];
    for (const [name, content] of all) {
      const id = await server.admin.create('VideoFile', { name, base64Data: content.toString('base64') });
      const isVideo = name === 'behind.mkv' || name === 'subtitles.avi';
      const state = await processed(server.admin, id);
      expect([name, state['processingState']]).toEqual([name, isVideo ? null : 'FAILED']);
      const answers = [
        await server.admin.post(`/VideoFile/${id}/updateVideoInfo`),
        await server.admin.post(`/VideoFile/${id}/grabFrame`, { time: 0 }),
        await server.admin.get(`/VideoFile/${id}/stream`),
      ];
      const made = await processed(server.admin, await converted(server.admin, id, 'mp4'));
      if (!isVideo) {
        expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
        expect(made).toMatchObject({ processingState: 'FAILED', size: 0 });
      }
      const { bytes } = await served(server.admin, `/${String(made['id'])}`);
      for (const text of [...answers.map((one) => one.text), bytes.toString('latin1'), JSON.stringify([state, made])]) {
        expect(text).not.toMatch(/root:|daemon:/);
        expect(text).not.toContain(server.folder);
      }
    }
    expect(requests).toBe(0);
  });

  it('harm nobody when they are cut or damaged', async () => {
    for (const container of CONTAINERS) {
      const whole = await clip(container);
      const damaged = Array.from({ length: MUTATIONS }, (_, number) => ({
        name: `${String(number)}.${container.ending}`,
        base64Data: mutated(whole, number).toString('base64'),
      }));
      const answer = await server.admin.post('/VideoFile', damaged);
      expect(answer.status, answer.text.slice(0, 500)).toBe(201);
      // Decoded too, some of them.
      const { result } = answer.body as { result: string[] };
      for (const id of result.filter((_, number) => number % 15 === 1)) {
        expect([200, 422]).toContain((await server.admin.post(`/VideoFile/${id}/grabFrame`, { time: 0 })).status);
      }
    }
    await idle(server);
    server.assertAlive();
    const damaged = (await videosOf(server)).filter(({ name }) => /^\d+\./.test(name));
    expect(damaged).toHaveLength(CONTAINERS.length * MUTATIONS);
    expect(damaged.some((one) => one.processingState === null)).toBe(true);
    for (const { processingState, processingMessage } of damaged) {
      if (processingState === null) continue;
      expect(processingState).toBe('FAILED');
      expect(processingMessage).toMatch(/^(?:The content is no video|There is no video|ffprobe |The video)/);
      expect(processingMessage).not.toContain(server.folder);
    }
    expect(await programsOf(server)).toEqual([]);
    expect(await memoryOf(server.child.pid)).toBeLessThan(700);
    expect(requests).toBe(0);
  });
});

describe.skipIf(!hasFfmpeg())('a server that is killed', () => {
  it('goes on with its conversions, does none twice, and leaves nothing', async () => {
    const settings = { 'application.threads.long': 2 };
    let server = await TestServer.start({ settings });
    const films: string[] = [];
    const content = await clip({ ending: 'mp4', seconds: 1, size: '64x48', options: ['-preset', 'ultrafast'] });
    for (let i = 0; i < 20; i++) films.push(await uploaded(server.admin, file(`film-${String(i)}.mp4`, content)));
    await idle(server);
    const made: string[] = [];
    for (const id of films) made.push(await converted(server.admin, id, 'webm'));
    const done = async (): Promise<number> =>
      (await videosOf(server)).filter((one) => made.includes(one.id) && one.size > 0).length;
    await until(async () => (await done()) >= 4 && (await programsOf(server)).length > 0, 'some are done, one goes on');
    await server.end('SIGKILL');
    await until(async () => (await programsOf(server)).length === 0, 'its programs have ended with it', 10_000);
    server = await TestServer.start({ settings, folder: server.folder });
    await idle(server);
    const all = await videosOf(server);
    expect(all).toHaveLength(40);
    for (const one of all.filter(({ id }) => made.includes(id))) {
      expect(one).toMatchObject({ processingState: null, processingMessage: null, version: 1 });
      expect(one.size).toBeGreaterThan(0);
    }
    const media = join(server.folder, 'files', '._svc_media');
    for (const folder of ['tmp', 'running']) expect(await readdir(join(media, folder)).catch(() => [])).toEqual([]);
    expect(await programsOf(server)).toEqual([]);
    // What was being published may be there without being a file's, until the sweep.
    expect((await contentsOnDisk(server)).length).toBeLessThanOrEqual(42);
    await server.stop();
    await rm(server.folder, { recursive: true, force: true });
  });
});
