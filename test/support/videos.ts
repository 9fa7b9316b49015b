/** Small videos for tests, made by ffmpeg; and what ffprobe says of others. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from './client.js';
import type { TestServer } from './server.js';

export { processed } from './files.js';

const run = promisify(execFile);

export interface Clip {
  /** Ending of its name: its container. */
  readonly ending: string;
  readonly seconds?: number;
  /** Pixels, as `160x120`. */
  readonly size?: string;
  readonly silent?: boolean;
  /** Codecs and whatever else. */
  readonly options?: readonly string[];
}

/** A picture that moves, with a tone. */
export async function clip({ ending, seconds = 2, size = '160x120', silent, options = [] }: Clip): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-clip-'));
  try {
    const path = join(folder, `clip.${ending}`);
    const tone = silent === true ? [] : ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${String(seconds)}`];
    const picture = `testsrc2=size=${size}:rate=25:duration=${String(seconds)}`;
    await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', picture, ...tone, ...options, path]);
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Streams and container of a video, as ffprobe tells them. */
export interface ProbedVideo {
  readonly streams: readonly { readonly codec_type: string; readonly codec_name: string; readonly height?: number }[];
  readonly format: { readonly format_name: string; readonly duration: string };
}

/** What is at a path, or URL. */
export async function probed(place: string): Promise<ProbedVideo> {
  const args = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', '-i', place];
  return JSON.parse((await run('ffprobe', args)).stdout) as ProbedVideo;
}

/** Asks for a conversion; the id of the video that it is for. */
export async function converted(client: Client, id: string, preset: string): Promise<string> {
  const answer = await client.post(`/VideoFile/${id}/convert`, { preset });
  if (answer.status !== 200) throw new Error(`convert answered ${String(answer.status)}: ${answer.text}`);
  return (answer.body as { result: { id: string } }).result.id;
}

/** Processes of ffmpeg and ffprobe that work for a server: those that name its folder, or were started by it. */
export async function programsOf({ folder, child }: TestServer): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!/^(?:\S*\/)?ff(?:mpeg|probe)\0/.test(line)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const parent = /\) \S (\d+)/.exec(stat)?.[1];
    if (line.includes(folder) || parent === String(child.pid)) found.push(line.replaceAll('\0', ' '));
  }
  return found;
}
