/** What takes longer of videos: all presets, progress and its end, scripts (docs/interface/media.md 3.2, 3.5). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasFfmpeg } from '../support/chromium.js';
import type { Client } from '../support/client.js';
import { EventStream } from '../support/event-stream.js';
import { file, objectOf, served, until, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';
import { clip, converted, probed, processed, programsOf } from '../support/videos.js';

const SERVLETS = 'JsonRestServlet LoginServlet UploadServlet HtmlServlet EventSourceServlet';

if (!hasFfmpeg()) console.warn('skipped: test/media/video-presets.test.ts needs ffmpeg and ffprobe');

describe.skipIf(!hasFfmpeg())('a video', () => {
  let server: TestServer;
  let admin: Client;
  let film: string;
  let mkv: Buffer;
  let long: string;

  beforeAll(async () => {
    const small = clip({ ending: 'mkv', options: ['-c:v', 'mpeg4', '-c:a', 'libmp3lame'] });
    const slow = clip({ ending: 'mp4', seconds: 60, size: '640x360', options: ['-preset', 'ultrafast'] });
    mkv = await small;
    server = await TestServer.start({ settings: { 'httpservice.servlets': SERVLETS } });
    ({ admin } = server);
    const parent = await admin.create('Folder', { name: 'films' });
    film = await uploaded(admin, file('film.mkv', mkv), { parent });
    await admin.put(`/VideoFile/${film}`, { visibleToPublicUsers: true });
    await admin.put(`/Folder/${parent}`, { visibleToPublicUsers: true });
    long = await uploaded(admin, file('long.mp4', await slow));
  });
  afterAll(() => server.stop());

  it('is converted to WebM', async () => {
    const made = await converted(admin, film, 'webm');
    expect(await processed(admin, made)).toMatchObject({
      contentType: 'video/webm',
      videoCodec: 'vp9',
      audioCodec: 'opus',
    });
    const path = join(server.folder, 'probed');
    await writeFile(path, (await served(admin, `/${made}`)).bytes);
    expect((await probed(path)).streams.map((one) => one.codec_name)).toEqual(['vp9', 'opus']);
  });

  it('is converted to HLS, in a folder of its own', async () => {
    const made = await converted(admin, film, 'hls');
    expect(await processed(admin, made)).toMatchObject({
      path: '/films/film-hls/film.m3u8',
      contentType: 'application/vnd.apple.mpegurl',
      processingState: null,
      videoCodec: 'h264',
    });
    const { streams } = await probed(`${server.url}/films/film-hls/film.m3u8`);
    expect(streams.map((one) => one.codec_name)).toEqual(['h264', 'aac']);
    const parts = (await objectOf(admin, made, 'VideoFile'))['convertedVideos'] as { name: string }[];
    expect(parts.map((one) => one.name).sort()).toEqual(['360p.m3u8', '360p.mp4']);
    // Again: the parts are others, and have the names that the playlist says.
    await processed(admin, await converted(admin, film, 'hls'));
    expect((await probed(`${server.url}/films/film-hls/film.m3u8`)).streams).toHaveLength(2);
    await admin.delete(`/VideoFile/${made}`);
    expect((await served(admin, '/films/film-hls/360p.mp4')).status).toBe(404);
  });

  it('shows how far its conversion is, and is told so, and can be cancelled', async () => {
    const made = await converted(admin, long, 'webm');
    const address = `${server.url}/svc/EventSource?subscribe=VideoFile/${made}/all`;
    const stream = await EventStream.open(address, admin.credentials);
    const state = async (): Promise<Record<string, unknown>> => objectOf(admin, made, 'VideoFile');
    const told = async (): Promise<boolean> => {
      const [change] = await stream.take(1);
      return typeof (change?.object as Record<string, unknown> | undefined)?.['processingProgress'] === 'number';
    };
    await until(told, 'progress is told');
    expect(await state()).toMatchObject({ processingState: 'RUNNING', size: 0 });
    expect(await programsOf(server)).toHaveLength(1);
    // Others are looked at meanwhile.
    const other = await uploaded(admin, file('other.mkv', mkv));
    expect(await processed(admin, other)).toMatchObject({ processingState: null, width: 160 });
    expect(await state()).toMatchObject({ processingState: 'RUNNING' });
    expect((await admin.post(`/VideoFile/${made}/cancelConversion`)).status).toBe(200);
    expect(await state()).toMatchObject({
      processingState: 'FAILED',
      processingMessage: 'The conversion was cancelled.',
      processingProgress: null,
    });
    await until(async () => (await programsOf(server)).length === 0, 'ffmpeg has ended');
    expect((await admin.post(`/VideoFile/${made}/cancelConversion`)).status).toBe(422);
    stream.close();
  });

  it('is not worked on beyond the limits, and says so', async () => {
    await server.reload({ 'application.video.maxlength': 1 });
    const message = async (of: string, preset: string): Promise<unknown> => {
      const object = await processed(admin, await converted(admin, of, preset));
      expect(object).toMatchObject({ processingState: 'FAILED', size: 0 });
      return object['processingMessage'];
    };
    expect(await message(long, 'mp4')).toBe('The video is longer than 1 s.');
    expect((await admin.get(`/VideoFile/${long}/stream`)).status).toBe(422);
    await server.reload({ 'application.video.maxlength': 100, 'application.video.timeout': 1 });
    expect(await message(long, 'webm')).toBe('converting a video took longer than 1 s');
    await until(async () => (await programsOf(server)).length === 0, 'ffmpeg has ended');
    await server.reload({ 'application.video.timeout': 100, 'application.video.memory': 30 });
    expect(await message(long, 'mp4-720p')).toMatch(/^ff(?:probe|mpeg) /);
    await server.reload({ 'application.video.memory': 4096 });
  });

  it('is worked on by scripts', async () => {
    const code = `{
      const video = $.find('VideoFile', 'name', 'film.mkv')[0];
      const made = $.convertVideo(video, 'mp4-720p');
      $.updateVideoInfo(video);
      return [made.name, $.grabFrame(video, 1, 40).width, $.makePosterImage(video, 1).name];
    }`;
    await admin.create('SchemaMethod', { name: 'videoScript', source: code });
    const answer = await admin.post('/videoScript');
    expect((answer.body as { result: unknown }).result, answer.text).toEqual(['film-720p.mp4', 40, 'film-poster.jpg']);
    const made = (await objectOf(admin, film, 'VideoFile'))['convertedVideos'] as { id: string; name: string }[];
    const id = made.find((one) => one.name === 'film-720p.mp4')?.id ?? '';
    expect(await processed(admin, id)).toMatchObject({ processingState: null, height: 120 });
    const wrong = "{ return $.convertVideo($.find('VideoFile', 'name', 'film.mkv')[0], 'avi'); }";
    await admin.create('SchemaMethod', { name: 'wrongPreset', source: wrong });
    const refused = await admin.post('/wrongPreset');
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('There is no preset')]);
  });
});
