/** The programs that there are, and their versions; looked for at their first use. */
import { availableParallelism } from 'node:os';
import type { Config } from '../../config/index.js';
import { logger } from '../../../shared/log.js';
import { MediaError } from '../errors.js';
import { collected, missing, outputOf, type ProgramCall, type ProgramLimits } from './program.js';

const log = logger('media.video');

export type ToolName = 'ffmpeg' | 'ffprobe';

const MB = 1024 * 1024;
/** What they must be able to do came with this version. */
const OLDEST = 4;
const QUICK: ProgramLimits = { seconds: 10, memory: 0, fileSize: 0 };
/** Bytes that a version, or what there is in a video, may take. */
const MOST_TEXT = 2 * MB;
/** Milliseconds until one that is not there is looked for again. */
const AGAIN = 60_000;
const NICE = ['nice', '-n', '10'];
/** Ends the program with the server, also when nobody is there to do it. */
const TOGETHER = ['setpriv', '--pdeathsig', 'KILL'];

export class Tools {
  readonly #found = new Map<ToolName, Promise<boolean>>();
  #launcher: Promise<readonly string[]> | undefined;

  constructor(private readonly config: Config) {}

  /** Whether it is there and new enough; the log says so. */
  has(tool: ToolName): Promise<boolean> {
    let found = this.#found.get(tool);
    if (found === undefined) {
      this.#found.set(tool, (found = this.#look(tool)));
      // Somebody may install it.
      void found.then((isThere) => {
        if (!isThere) setTimeout(() => this.#found.delete(tool), AGAIN).unref();
      });
    }
    return found;
  }

  /** Throws `MediaError` 501 when it is not there. */
  async needs(tool: ToolName): Promise<void> {
    if (!(await this.has(tool))) throw new MediaError(501, missing(tool));
  }

  /** Threads for a conversion. */
  get threads(): number {
    const threads = this.config.get('application.video.threads');
    return threads === 0 ? availableParallelism() : threads;
  }

  /** The longest time of a conversion, ms. */
  get time(): number {
    return this.config.get('application.video.timeout') * 1000;
  }

  /**
   * What ffmpeg writes, with the limits of a conversion. `folder`: where names of files that it writes count from. Throws as `outputOf`, and
   * `MediaError` 501.
   */
  async *output(
    args: readonly string[],
    signal: AbortSignal,
    folder?: string,
  ): AsyncGenerator<Buffer, void, undefined> {
    await this.needs('ffmpeg');
    // Some threads more than are asked for: those of codecs that take no number.
    const seconds = (this.time / 1000) * (this.threads + 1);
    yield* outputOf({ ...(await this.#call('ffmpeg', args, signal, seconds)), folder });
  }

  /** What a tool tells within `seconds` of the processors' time, at most `most` bytes. */
  async tell(
    tool: ToolName,
    args: readonly string[],
    signal: AbortSignal,
    seconds: number,
    most = MOST_TEXT,
  ): Promise<Buffer> {
    await this.needs(tool);
    return collected(await this.#call(tool, args, signal, seconds), most);
  }

  async #call(tool: ToolName, args: readonly string[], signal: AbortSignal, seconds: number): Promise<ProgramCall> {
    const limits = {
      seconds,
      memory: this.config.get('application.video.memory') * MB,
      fileSize: this.config.get('uploadservlet.maxfilesize') * MB,
    };
    return { program: this.#program(tool), args, limits, signal, launcher: await this.#launching() };
  }

  #program(tool: ToolName): string {
    const { config } = this;
    return tool === 'ffmpeg' ? config.get('application.video.ffmpeg') : config.get('application.video.ffprobe');
  }

  async #look(tool: ToolName): Promise<boolean> {
    const program = this.#program(tool);
    const { signal } = new AbortController();
    try {
      const call = { program, args: ['-version'], limits: QUICK, signal, launcher: [] };
      const [first = ''] = (await collected(call, MOST_TEXT)).toString('utf8').split('\n');
      const version = /version\s+(\S+)/.exec(first)?.[1] ?? '';
      const major = Number(/^n?(\d+)/.exec(version)?.[1] ?? Infinity);
      if (major < OLDEST) {
        log.warn(`${tool} ${version} is too old for work on videos: at least ${String(OLDEST)} is needed`);
        return false;
      }
      log.info(`${tool} ${version} works on videos`);
      return true;
    } catch (error) {
      log.warn(`there is no ${tool} (application.video.${tool}): ${error instanceof Error ? error.message : ''}`);
      return false;
    }
  }

  /** What programs are started by, as far as this system has it. */
  #launching(): Promise<readonly string[]> {
    this.#launcher ??= (async () => {
      const { signal } = new AbortController();
      const call = { program: 'true', args: [], limits: QUICK, signal, launcher: [...TOGETHER, ...NICE] };
      try {
        await collected(call, MOST_TEXT);
        return call.launcher;
      } catch {
        log.debug('programs do not end with the server here when that is killed: there is no setpriv');
        return NICE;
      }
    })();
    return this.#launcher;
  }
}
