import type { FfmpegCommand } from 'fluent-ffmpeg';
import type { VideoFacts } from '../probe.js';

/** Into what videos are converted: one row of `table.ts` (docs/interface/media.md 3.2). */
export interface Preset {
  readonly name: string;
  /** Of the file that is made, or of that which leads to all others that are. */
  readonly contentType: string;
  /** With its dot. */
  readonly ending: string;
  /** The result is a playlist in a folder of its own, with the files it names. */
  readonly isPlaylist?: true;
  /** Name of what ffmpeg is told to write, within the folder that is its own. */
  readonly output: string;
  /** Name of the file there that is the result. */
  readonly result: string;
  /** What is to be made of a video. */
  make(command: FfmpegCommand, facts: VideoFacts): void;
  /** The same while it is sent: fast, and to an output that cannot go back. Absent: that cannot be done. */
  readonly send?: (command: FfmpegCommand, facts: VideoFacts) => void;
}

/** The streams that are taken: those that the properties of a video tell of. */
export function streamsOf({ videoStream, audioStream }: VideoFacts): string[] {
  const sound = audioStream === undefined ? ['-an'] : ['-map', `0:${String(audioStream)}`];
  return ['-map', `0:${String(videoStream)}`, ...sound];
}

/** Most codecs want even numbers of pixels; `height`: the most lines. */
export function scaled(height?: number): string {
  if (height === undefined) return 'scale=trunc(iw/2)*2:trunc(ih/2)*2';
  return `scale=-2:'min(${String(height)},trunc(ih/2)*2)'`;
}
