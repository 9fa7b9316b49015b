/** The logs, as the settings want them (docs/interface/operations.md 8.1). */
import { resolve } from 'node:path';
import { LogFile, type LogFileOptions } from '../../shared/log-file.js';
import { logger, setLogFormat, setLogLevel, setLogSink, setShortStacks } from '../../shared/log.js';
import { logFileOf, type Config } from '../config/index.js';
import { EXIT } from '../exit-codes.js';
import type { RequestCounts } from '../monitoring/index.js';
import { StartError } from '../start-error.js';

const log = logger('main');
const MB = 1024 * 1024;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** The settings of the log hold in this thread, at once when they change. */
export function followLogSettings(config: Config): void {
  setLogLevel(config.get('log.level'));
  config.onChange('log.level', setLogLevel);
  setLogFormat(config.get('log.format'));
  config.onChange('log.format', setLogFormat);
  setShortStacks(config.get('log.functions.shortenstacktrace'));
  config.onChange('log.functions.shortenstacktrace', setShortStacks);
}

/** Opens the log. Throws `StartError`. */
export async function openLog(config: Config): Promise<void> {
  followLogSettings(config);
  await openLogFile(config);
}

function rotation(config: Config): NonNullable<LogFileOptions['rotation']> {
  return () => ({
    maxSize: config.get('log.file.maxsize') * MB,
    keep: config.get('log.file.keep'),
    maxTotal: config.get('log.file.maxtotal') * MB,
  });
}

/** The log goes into the file of `LOG_FILE`, too, where there is one. */
async function openLogFile(config: Config): Promise<void> {
  const path = logFileOf(config);
  if (path === undefined) return;
  try {
    const file = await LogFile.open(path, {
      rotation: rotation(config),
      failed: (error) => {
        elsewhere(`LOG_FILE lacks lines: ${String(error)}\n`);
      },
    });
    const elsewhere = setLogSink((line) => {
      elsewhere(line);
      file.write(line);
    });
  } catch (error) {
    throw new StartError(`LOG_FILE cannot be written: ${String(error)}`, EXIT.configuration);
  }
}

/** Writes a line for each request while `log.requests` is on. */
export function logRequests(config: Config, requests: RequestCounts): void {
  let file: LogFile | undefined;
  let opening: Promise<void> = Promise.resolve();
  const follow = async (): Promise<void> => {
    const wanted = config.get('log.requests');
    if (wanted === (file !== undefined)) return;
    if (!wanted) {
      const before = file;
      file = undefined;
      await before?.close();
      return;
    }
    const named = process.env['REQUEST_LOG_FILE'] ?? '';
    const path = resolve(config.path('base.path'), named === '' ? 'logs/request.log' : named);
    file = await LogFile.open(path, {
      rotation: rotation(config),
      failed: (error) => {
        log.error(`the log of requests lacks lines: ${String(error)}`);
      },
    });
    log.info(`requests are logged in ${path}`);
  };
  const change = (): void => {
    opening = opening.then(follow).catch((error: unknown) => {
      log.error('requests are not logged', error);
    });
  };
  requests.onLogged = (request, status, milliseconds) => {
    file?.write(requestLine(request, status, milliseconds));
  };
  config.onChange('log.requests', change);
  change();
}

/** Queries may hold keys and tokens: only that there was one is told. */
function requestLine(
  { method, path, query }: { readonly method: string; readonly path: string; readonly query: string },
  status: number,
  milliseconds: number,
): string {
  const now = new Date();
  const two = (value: number): string => String(value).padStart(2, '0');
  const offset = -now.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  const date = `${two(now.getDate())}/${MONTHS[now.getMonth()] ?? ''}/${String(now.getFullYear())}`;
  const time = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
  // A line is a line, whatever somebody has sent.
  const shown = `${method} ${path}`.replace(/[^\x21-\x7e ]|"/g, (c) => encodeURIComponent(c));
  const target = query === '' ? shown : `${shown}?...`;
  return `${now.toISOString()} [${date}:${time} ${zone}] "${target} HTTP/1.1" ${String(status)} ${String(Math.round(milliseconds))}\n`;
}
