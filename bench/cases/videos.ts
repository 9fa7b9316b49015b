/** Case 63: conversions of videos. */
import { availableParallelism } from 'node:os';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ffmpegArguments } from '../../src/main/media/video/command.js';
import { videoInput } from '../../src/main/media/video/input.js';
import { presetNamed } from '../../src/main/media/video/presets/table.js';
import type { Context, Sample } from '../context.js';
import { installed, timed } from '../programs.js';
import { rateResult, type Result } from '../result.js';
import type { ServerProcess } from '../server-process.js';
import { upload } from '../upload.js';

const PRESET = 'mp4';
/** Milliseconds between two looks at the video that is made. */
const LOOK = 50;
/** As `application.video.maxpixels` and `.maxlength` are. */
const [PIXELS, LONGEST] = [36_000_000, 14_400];

/** With the priority that the server gives it; its time in seconds. */
const ffmpeg = (args: readonly string[], cwd: string): Promise<number> =>
  timed('nice', ['-n', '10', 'ffmpeg', ...args], cwd);

/** Until nothing is done with a video any more. */
async function finished(server: ServerProcess, id: string): Promise<void> {
  for (;;) {
    const { result } = await server.request('GET', `/VideoFile/${id}/all`);
    const { processingState, processingMessage } = result as Record<string, string | null>;
    if (processingState === null) return;
    if (processingState === 'FAILED') throw new Error(processingMessage ?? 'a conversion has failed');
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

/** From the request to the commit of the video that has been made; in seconds. */
async function converted(server: ServerProcess, id: string): Promise<number> {
  const since = performance.now();
  const { result } = await server.request('POST', `/VideoFile/${id}/convert`, { preset: PRESET });
  await finished(server, (result as { id: string }).id);
  return (performance.now() - since) / 1000;
}

export async function convertVideo(context: Context): Promise<Result[]> {
  if (!installed('ffmpeg')) {
    context.say('  left out: ffmpeg is not installed');
    return [];
  }
  const [seconds, size] = context.options.quick ? [5, '320x180'] : [10, '960x540'];
  const path = join(context.folder, 'film.mp4');
  const made = join(context.folder, 'video.mp4');
  const picture = `testsrc2=size=${size}:rate=25:duration=${String(seconds)}`;
  const tone = `sine=frequency=440:duration=${String(seconds)}`;
  const source = ['-y', '-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', tone];
  await ffmpeg([...source, '-preset', 'veryfast', path], context.folder);
  const server = await context.fileServer();
  const id = await upload(server, 'film.mp4', new Blob([new Uint8Array(await readFile(path))]));
  await finished(server, id);
  const facts = { properties: {}, width: 0, height: 0, duration: seconds, videoStream: 0, audioStream: 1 };
  const args = await ffmpegArguments({
    input: await videoInput(path, PIXELS),
    longest: LONGEST,
    threads: availableParallelism(),
    output: 'video.mp4',
    make: (command) => {
      presetNamed(PRESET).make(command, facts);
    },
  });
  const sides = await context.compare(
    async (): Promise<Sample> => {
      await rm(made, { force: true });
      return { value: seconds / (await ffmpeg(args, context.folder)) };
    },
    async (): Promise<Sample> => ({ value: seconds / (await converted(server, id)) }),
  );
  const note = `${((await stat(made)).size / 1_000_000).toFixed(1)} MB made of ${((await stat(path)).size / 1_000_000).toFixed(1)} MB`;
  const title = `conversion of ${String(seconds)} s of video of ${size} to ${PRESET}, until it is committed`;
  const baselineTitle = 'ffmpeg alone, the same arguments and priority';
  return [rateResult({ case: 63, title, unit: 's of video/s', baselineTitle, note }, sides, 0.97)];
}
