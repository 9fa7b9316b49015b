/**
 * Arguments of ffmpeg, put together by `fluent-ffmpeg`. Running is not left to it: it starts programs with the server's environment, secrets and
 * all, without a group or limits, keeps what they write in memory, and asks ffmpeg for its abilities before each (docs/design/media.md, Videos).
 */
import type { FfmpegCommand } from 'fluent-ffmpeg';
import { MissingPackageError, optional } from '../../../shared/optional-package.js';
import { MediaError } from '../errors.js';
import type { VideoInput } from './input.js';

/** What a command is made of. */
export interface CommandParts {
  readonly input: VideoInput;
  /** Seconds from the beginning at which the input begins. */
  readonly start?: number;
  /** Most seconds of the output. */
  readonly longest?: number;
  readonly threads: number;
  /** Path, or `pipe:1`. */
  readonly output: string;
  /** Says what is to be made. */
  readonly make: (command: FfmpegCommand) => void;
}

/** Builds the arguments as text, in order. */
interface Arguments {
  _getArguments(): string[];
}

/** Arguments for ffmpeg. Throws `MediaError` 501 where the package is not installed. */
export async function ffmpegArguments(parts: CommandParts): Promise<readonly string[]> {
  const { input, start = 0, longest, threads, output, make } = parts;
  const { default: ffmpeg } = await optional(() => import('fluent-ffmpeg')).catch((error: unknown) => {
    if (!(error instanceof MissingPackageError)) throw error;
    throw new MediaError(501, error.message, { cause: error });
  });
  const command = ffmpeg(input.name)
    .inputOptions(...input.options, '-threads', String(threads))
    .outputOptions('-threads', String(threads), '-map_metadata', '-1', '-map_chapters', '-1', '-sn', '-dn')
    .output(output);
  if (start > 0) command.seekInput(start);
  if (longest !== undefined) command.duration(longest);
  make(command);
  const args = (command as unknown as Arguments)._getArguments().map(String);
  // What it says goes to one place, and nobody answers its questions.
  return ['-hide_banner', '-nostdin', '-v', 'error', ...args];
}
