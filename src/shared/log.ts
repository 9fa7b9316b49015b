/**
 * The log: one line an event, `time LEVEL logger message`, to standard output. Loggers are named below
 * `org.svc`; the level (`log.level`) can change at any time.
 */
import { inspect } from 'node:util';

export const LOG_LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

let threshold = LOG_LEVELS.indexOf('INFO');
let sink: (line: string) => void = (line) => {
  process.stdout.write(line);
};

/** Takes effect at once, for all loggers. */
export function setLogLevel(level: LogLevel): void {
  threshold = LOG_LEVELS.indexOf(level);
}

/** Sends lines elsewhere (tests). Returns the previous sink. */
export function setLogSink(next: (line: string) => void): (line: string) => void {
  const previous = sink;
  sink = next;
  return previous;
}

export interface Logger {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string, error?: unknown): void;
  error(message: string, error?: unknown): void;
  enabled(level: LogLevel): boolean;
}

function write(level: LogLevel, name: string, message: string, error?: unknown): void {
  if (LOG_LEVELS.indexOf(level) < threshold) return;
  const cause =
    error === undefined ? '' : ` ${error instanceof Error ? (error.stack ?? error.message) : inspect(error)}`;
  // One event, one line: text from outside cannot forge further lines.
  // eslint-disable-next-line no-control-regex
  const text = message.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ');
  // Lines of a stack are indented; what else the message of an error holds must not look like an event either.
  const indented = cause.replace(/[\r\n\u2028\u2029]+ */g, '\n    ');
  sink(`${new Date().toISOString()} ${level.padEnd(5)} ${name} - ${text}${indented}\n`);
}

/** A logger `org.svc.<name>`. */
export function logger(name: string): Logger {
  const full = `org.svc.${name}`;
  return {
    trace: (m) => {
      write('TRACE', full, m);
    },
    debug: (m) => {
      write('DEBUG', full, m);
    },
    info: (m) => {
      write('INFO', full, m);
    },
    warn: (m, e) => {
      write('WARN', full, m, e);
    },
    error: (m, e) => {
      write('ERROR', full, m, e);
    },
    enabled: (level) => LOG_LEVELS.indexOf(level) >= threshold,
  };
}
