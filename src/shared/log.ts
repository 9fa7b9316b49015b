/**
 * The log: one line an event, `time LEVEL logger message`, to standard output. Loggers are named below
 * `org.svc`; the level (`log.level`) can change at any time.
 */
import { inspect } from 'node:util';

export const LOG_LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

let threshold = LOG_LEVELS.indexOf('INFO');
let sink: (line: string) => void = (line) => {
  try {
    process.stdout.write(line);
  } catch {
    // Files are written at once, and a full disk throws: what is logged must not fail of it.
  }
};
let isJson = false;
let shortens = true;
const listeners = new Set<(line: string) => void>();

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

/** Lines are objects of JSON from now on (`log.format`), or text again. */
export function setLogFormat(format: 'text' | 'json'): void {
  isJson = format === 'json';
}

/** A line that another thread of the process has written, which has decided by the level. */
export function passOnLine(line: string): void {
  sink(line);
  for (const listener of listeners) listener(line);
}

/** Whether mistakes of scripts are one line each, without the stack of the server (`log.functions.shortenstacktrace`). */
export function setShortStacks(short: boolean): void {
  shortens = short;
}

export function areStacksShort(): boolean {
  return shortens;
}

/** Hears of each line, with its end, beside the sink. Returns the remover. */
export function onLogLine(listener: (line: string) => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export interface Logger {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  /** What must be told whatever the level. */
  always(message: string): void;
  warn(message: string, error?: unknown): void;
  error(message: string, error?: unknown): void;
  enabled(level: LogLevel): boolean;
}

function write(level: LogLevel, name: string, message: string, error?: unknown): void {
  if (LOG_LEVELS.indexOf(level) >= threshold) tell(level, name, message, error);
}

function tell(level: LogLevel, name: string, message: string, error?: unknown): void {
  passOnLine(isJson ? jsonLine(level, name, message, error) : textLine(level, name, message, error));
}

function causeOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}

function textLine(level: LogLevel, name: string, message: string, error: unknown): string {
  const cause = error === undefined ? '' : ` ${causeOf(error)}`;
  // One event, one line: text from outside cannot forge further lines.
  // eslint-disable-next-line no-control-regex
  const text = message.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ');
  // Lines of a stack are indented; what else the message of an error holds must not look like an event either.
  const indented = cause.replace(/[\r\n\u2028\u2029]+ */g, '\n    ');
  return `${new Date().toISOString()} ${level.padEnd(5)} ${name} - ${text}${indented}\n`;
}

function jsonLine(level: LogLevel, logger: string, message: string, error: unknown): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ time, level, logger, message, ...(error === undefined ? {} : { error: causeOf(error) }) })}\n`;
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
    always: (m) => {
      tell('INFO', full, m);
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
