/** Videos: what they are, what is made of them, and for whom (docs/interface/media.md 3; contract, File and Folder). */
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasFfmpeg } from '../support/chromium.js';
import type { Answer, Client } from '../support/client.js';
import { file, objectOf, served, until, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { clip, converted, probed, processed, programsOf } from '../support/videos.js';

if (!hasFfmpeg()) console.warn('skipped: test/media/video.test.ts needs ffmpeg and ffprobe');

describe.skipIf(!hasFfmpeg())('a video', () => {
  let server: TestServer;
  let admin: Client;
  let jane: Client;
  /** What jane writes and owns, in a folder of hers; everybody may see it. */
  let film: string;
  /** What she may read only. */
  let others: string;
  let long: string;
  let folder: string;

  const resultOf = (answer: Answer): Record<string, unknown> => {
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { result: Record<string, unknown> }).result;
  };
  const call = (client: Client, id: string, method: string, body: object = {}): Promise<Answer> =>
    client.post(`/VideoFile/${id}/${method}`, body);
  /** What ffprobe says of what is served at a path. */
  const probedAt = async (path: string, client = admin): Promise<string[]> => {
    const place = join(server.folder, 'probed');
    const { bytes, status } = await served(client, path);
    expect(status).toBe(200);
    await writeFile(place, bytes);
    return (await probed(place)).streams.map((one) => one.codec_name).sort();
  };

  beforeAll(async () => {
    const mkv = clip({ ending: 'mkv', options: ['-c:v', 'mpeg4', '-c:a', 'libmp3lame'] });
    const slow = clip({ ending: 'mp4', seconds: 60, size: '640x360', options: ['-preset', 'ultrafast'] });
    server = await TestServer.start({ settings: { 'application.video.streams': 1 } });
    ({ admin } = server);
    await admin.create('User', { name: 'jane', password: 'jane-secret' });
    jane = server.as('jane', 'jane-secret');
    for (const type of ['VideoFile', 'Image', 'Folder']) {
      await allow(admin, type, 'user', ['GET', 'POST', 'PUT']);
      await allow(admin, `${type}/_id`, 'user', ['GET', 'PUT', 'DELETE']);
    }
    for (const method of ['convert', 'cancelConversion', 'grabFrame', 'makePosterImage', 'updateVideoInfo']) {
      await allow(admin, `VideoFile/_id/${method}`, 'user', ['POST']);
    }
    await allow(admin, 'VideoFile/_id/stream', 'user', ['GET']);
    await allow(admin, 'VideoFile/_id/stream', 'anonymous', ['GET']);
    folder = await jane.create('Folder', { name: 'films', visibleToPublicUsers: true });
    const video = { name: 'film.mkv', base64Data: (await mkv).toString('base64'), parent: folder };
    film = await jane.create('VideoFile', { ...video, visibleToPublicUsers: true });
    others = await admin.create('VideoFile', { ...video, name: 'others.mkv', visibleToAuthenticatedUsers: true });
    long = await uploaded(admin, file('long.mp4', await slow));
  });
  afterAll(() => server.stop());

  it('tells what it is, in the background', async () => {
    expect(await processed(admin, film)).toMatchObject({
      type: 'VideoFile',
      processingState: null,
      videoCodec: 'mpeg4',
      videoCodecName: 'MPEG-4 part 2',
      pixelFormat: 'yuv420p',
      width: 160,
      height: 120,
      duration: 2.025,
      audioCodec: 'mp3',
      audioChannels: 1,
      sampleRate: 44100,
    });
  });

  it('says why when its content is none', async () => {
    const id = await admin.create('VideoFile', { name: 'none.mp4', base64Data: 'bm8gdmlkZW8=' });
    expect(await processed(admin, id)).toMatchObject({
      processingState: 'FAILED',
      processingMessage: 'The content is no video of a kind that is read.',
      width: null,
    });
    expect((await call(admin, id, 'updateVideoInfo')).status).toBe(422);
  });

  it('tells it anew for who may write it', async () => {
    await admin.put(`/VideoFile/${film}`, { width: 1, duration: 7 });
    expect((await call(jane, film, 'updateVideoInfo')).status).toBe(200);
    expect(await objectOf(admin, film, 'VideoFile')).toMatchObject({ width: 160, duration: 2.025 });
    expect((await call(jane, others, 'updateVideoInfo')).status).toBe(403);
  });

  it('is converted to MP4, which begins with what players need', async () => {
    const made = await converted(jane, film, 'mp4');
    expect(await processed(admin, made)).toMatchObject({
      name: 'film.mp4',
      path: '/films/film.mp4',
      contentType: 'video/mp4',
      processingState: null,
      conversionPreset: 'mp4',
      videoCodec: 'h264',
      audioCodec: 'aac',
      width: 160,
      visibleToPublicUsers: true,
      owner: { name: 'jane' },
      originalVideo: { id: film },
    });
    expect(await probedAt('/films/film.mp4', server.as())).toEqual(['aac', 'h264']);
    const { bytes } = await served(admin, '/films/film.mp4');
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
    const part = await served(server.as(), '/films/film.mp4', { Range: 'bytes=100-199' });
    expect([part.status, part.bytes.equals(bytes.subarray(100, 200))]).toEqual([206, true]);
    // Once more is the same object, with other content.
    expect(await converted(jane, film, 'mp4')).toBe(made);
    expect(await processed(admin, made)).toMatchObject({ processingState: null, version: 2 });
    // One that she may not see is none for her.
    const hidden = { owner: null, grantees: [], visibleToPublicUsers: false, visibleToAuthenticatedUsers: false };
    expect((await admin.put(`/svc/rest/VideoFile/${made}`, hidden)).status).toBe(200);
    expect((await jane.get(`/VideoFile/${made}`)).status).toBe(404);
    const other = String(resultOf(await call(jane, film, 'convert', { preset: 'mp4' }))['id']);
    expect(other).not.toBe(made);
    expect((await call(jane, other, 'cancelConversion')).status).toBe(200);
  });

  it('is not converted for who may only read it, or to what there is not', async () => {
    expect((await call(jane, others, 'convert', { preset: 'mp4' })).status).toBe(403);
    expect((await call(jane, others, 'grabFrame', { time: 0 })).status).toBe(403);
    expect((await call(jane, others, 'makePosterImage', { time: 0 })).status).toBe(403);
    expect((await call(server.as(), film, 'convert', { preset: 'mp4' })).status).toBe(401);
    const refused = await call(jane, film, 'convert', { preset: 'avi' });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('there are mp4, ')]);
    expect((await call(jane, film, 'convert')).status).toBe(400);
    const empty = await jane.create('VideoFile', { name: 'empty.mp4' });
    expect((await call(jane, empty, 'convert', { preset: 'mp4' })).status).toBe(422);
    expect((await objectOf(admin, others, 'VideoFile'))['convertedVideos']).toEqual([]);
  });

  it('cannot be told by clients whose conversion it is', async () => {
    for (const input of [{ conversionUser: 'x' }, { conversionVersion: 0 }]) {
      expect((await admin.put(`/VideoFile/${film}`, input)).status).toBe(422);
    }
    for (const input of [{ conversionPreset: 'mp4' }, { processingState: 'QUEUED' }]) {
      expect((await jane.put(`/VideoFile/${film}`, input)).status).toBe(422);
    }
  });

  it('gives pictures, as images beside it', async () => {
    const image = resultOf(await call(jane, film, 'grabFrame', { time: 1.5, width: 80 }));
    expect(image).toMatchObject({ type: 'Image', name: 'film-1.5s.jpg' });
    expect(await objectOf(admin, String(image['id']))).toMatchObject({
      width: 80,
      height: 60,
      path: '/films/film-1.5s.jpg',
    });
    const { bytes } = await served(server.as(), '/films/film-1.5s.jpg');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 80 });
    // Made by others, they are the owner's all the same.
    const other = resultOf(await call(admin, film, 'grabFrame', { time: 0, format: 'png', name: 'first.png' }));
    expect(await objectOf(admin, String(other['id']))).toMatchObject({ name: 'first.png', owner: { name: 'jane' } });
    expect((await jane.get(`/Image/${String(other['id'])}`)).status).toBe(200);
    for (const body of [{ time: 100 }, { time: -1 }, { time: 0, width: 0 }, { time: 0, format: 'bmp' }]) {
      expect((await call(jane, film, 'grabFrame', body)).status).toBe(422);
    }
    expect((await call(jane, film, 'grabFrame', { time: 'x' })).status).toBe(400);
  });

  it('has a poster', async () => {
    const poster = resultOf(await call(jane, film, 'makePosterImage', { time: 0.5, format: 'png' }));
    expect(await objectOf(admin, film, 'VideoFile')).toMatchObject({ posterImage: { id: poster['id'] } });
    expect(resultOf(await call(jane, film, 'makePosterImage', { time: 1 }))['id']).toBe(poster['id']);
    expect((await served(server.as(), `/${String(poster['id'])}`)).headers['content-type']).toBe('image/jpeg');
  });

  it('is converted while it is sent, for who may read it, and as often as may be', async () => {
    const path = `/svc/rest/VideoFile/${film}/stream`;
    expect(await probedAt(path, server.as())).toEqual(['aac', 'h264']);
    expect(await probedAt(`${path}?preset=webm&start=1`, server.as())).toEqual(['opus', 'vp9']);
    const statusOf = async (tail: string, client = admin): Promise<number> => (await served(client, tail)).status;
    expect(await statusOf(`/svc/rest/VideoFile/${others}/stream`, server.as())).toBe(404);
    expect(await statusOf(`${path}?preset=hls`)).toBe(422);
    expect(await statusOf(`${path}?start=x`)).toBe(422);
    expect(await statusOf(`${path}?quality=1`)).toBe(400);
    // One that nobody reads waits, holds the only place, and ends with its client.
    const sent = request(`${server.url}/svc/rest/VideoFile/${long}/stream`, { headers: admin.credentials });
    await new Promise<void>((resolve) => sent.on('response', (res) => res.once('readable', resolve)).end());
    expect(await statusOf(path)).toBe(503);
    sent.destroy();
    await until(async () => (await programsOf(server)).length === 0, 'ffmpeg has ended');
    await until(async () => (await statusOf(path)) === 200, 'there is a place again');
  });
});

describe('without ffmpeg', () => {
  let server: TestServer;
  beforeAll(async () => {
    const settings = { 'application.video.ffmpeg': 'no-ffmpeg', 'application.video.ffprobe': '/nowhere/ffprobe' };
    server = await TestServer.start({ settings });
  });
  afterAll(() => server.stop());

  it('videos are kept as they are, and methods say what is missing', async () => {
    const { admin } = server;
    const id = await admin.create('VideoFile', { name: 'v.mp4', base64Data: 'bm8gdmlkZW8=' });
    expect(await processed(admin, id)).toMatchObject({ processingState: null, videoCodec: null, width: null });
    for (const [method, body] of [
      ['updateVideoInfo', {}],
      ['convert', { preset: 'mp4' }],
      ['grabFrame', { time: 0 }],
      ['makePosterImage', { time: 0 }],
    ] as const) {
      const answer = await admin.post(`/VideoFile/${id}/${method}`, body);
      expect([answer.status, answer.text]).toEqual([501, expect.stringMatching(/The program ff\w+ is not installed/)]);
    }
    expect((await admin.get(`/VideoFile/${id}/stream`)).status).toBe(501);
    expect(await server.untilLogged(/there is no ffprobe/)).toHaveLength(1);
  });
});
