/** The first pause before the server is started again, and the longest one (ms). */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A server that lived so long begins with the first pause again. */
const LONG_LIFE_MS = 600_000;
/** Of what the server says at last, this much is looked through for the cause. */
const TAIL = 16_384;
const LONGEST_CAUSE = 300;
/** Sent to the server by somebody else, they still mean that it shall end. */
const ASKED_TO_END = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);

/** Lines of a report of a crash that say where, not what. */
const NOT_THE_CAUSE = [
  /^\s/,
  /^$/,
  /^[}\]]/,
  /^Node\.js v/,
  /^-+ .*-+$/,
  /^<--- /,
  /^\d+: /,
  /^(?:\/|file:|node:)\S+:\d+$/,
];

/**
 * Decides what follows the end of a server: nothing, or a pause and a further start. `deliberate` are the exit codes with
 * which a server ends because it wants to.
 */
export class Supervisor {
  #pause = FIRST_PAUSE_MS;
  #everUp = false;

  constructor(deliberate) {
    this.deliberate = deliberate;
  }

  /**
   * Milliseconds until the next start; undefined: there is none. `up`: it had started to serve; `lived`: for how long since
   * its start (ms); `asked`: it was told to end.
   */
  after({ code, signal, up, lived, asked }) {
    this.#everUp ||= up;
    // What never worked here is not tried for ever: whoever starts it sees the code.
    if (asked || !this.#everUp || this.deliberate.has(code) || ASKED_TO_END.has(signal)) return undefined;
    if (up && lived >= LONG_LIFE_MS) this.#pause = FIRST_PAUSE_MS;
    const pause = this.#pause;
    this.#pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    return pause;
  }
}

/** Keeps the end of what a process says, to tell what it died of. */
export class LastWords {
  #text = '';

  add(chunk) {
    this.#text = (this.#text + chunk).slice(-TAIL);
  }

  /** The last line that says what happened; empty when nothing was said. */
  get cause() {
    const lines = this.#text.split(/\r?\n/);
    const last = lines.findLast((line) => !NOT_THE_CAUSE.some((pattern) => pattern.test(line))) ?? '';
    // One line, whatever it holds.
    // eslint-disable-next-line no-control-regex
    return last.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').slice(0, LONGEST_CAUSE);
  }
}

/** The end of a server in one line. */
export function describeEnd({ code, signal }, cause) {
  const how = signal === null ? `with exit code ${code}` : `by signal ${signal}`;
  return `the server ended ${how}${cause === '' ? '' : ` (${cause})`}`;
}
