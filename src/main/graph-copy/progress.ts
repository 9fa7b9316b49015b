/** What the operator sees of a copy: a bar on a terminal, a line every few seconds anywhere else. */

/** Told how far the work is. */
export interface Reporter {
  /** A part of the work begins; `total` undefined: nobody knows how much it is. */
  phase(name: string, total: number | undefined, done?: number): void;
  /** So many more are done. */
  advance(count: number): void;
  note(line: string): void;
  /** Ends what is on the screen. */
  end(): void;
}

/** Where it is written; `process.stderr` is one. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const BAR_INTERVAL = 100;
const LINE_INTERVAL = 5000;
/** Characters between the brackets, where there is room; none rather than fewer than `MIN_BAR`. */
const MAX_BAR = 30;
const MIN_BAR = 5;
const CLEAR_LINE = '\r\x1b[K';

export class Progress implements Reporter {
  readonly #output: Output;
  readonly #now: () => number;
  #name = '';
  #total: number | undefined;
  #done = 0;
  /** What was done when the phase began: a rate is of this run only. */
  #before = 0;
  #since = 0;
  #shown = 0;
  #open = false;

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output;
    this.#now = now;
  }

  phase(name: string, total: number | undefined, done = 0): void {
    this.end();
    this.#name = name;
    this.#total = total;
    this.#done = this.#before = done;
    this.#since = this.#shown = this.#now();
    this.#open = true;
    if (this.#output.isTTY === true) this.#show();
  }

  advance(count: number): void {
    this.#done += count;
    const now = this.#now();
    if (now - this.#shown < (this.#output.isTTY === true ? BAR_INTERVAL : LINE_INTERVAL)) return;
    this.#shown = now;
    this.#show();
  }

  note(line: string): void {
    this.end();
    this.#output.write(`${line}\n`);
  }

  /** The last state of a phase stays to be read. */
  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#show();
    if (this.#output.isTTY === true) this.#output.write('\n');
  }

  #show(): void {
    const { isTTY } = this.#output;
    // Some terminals say that they have no width.
    const columns = this.#output.columns || 80;
    const state = this.#state();
    if (isTTY !== true) this.#output.write(`${this.#name}: ${state}\n`);
    else this.#output.write(CLEAR_LINE + `${this.#bar(columns - 1 - state.length)}${state}`.slice(0, columns - 1));
  }

  /** The name and, where it fits into so many characters, the bar. */
  #bar(room: number): string {
    const name = `${this.#name.padEnd(14)} `;
    const width = Math.min(MAX_BAR, room - name.length - '[] '.length);
    if (this.#total === undefined || width < MIN_BAR) return name;
    const filled = Math.round(width * this.#share(this.#total));
    return `${name}[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] `;
  }

  #share(total: number): number {
    return total === 0 ? 1 : Math.min(1, this.#done / total);
  }

  #state(): string {
    const seconds = (this.#now() - this.#since) / 1000;
    const rate = seconds > 0 ? (this.#done - this.#before) / seconds : 0;
    const speed = `${grouped(Math.round(rate))}/s`;
    if (this.#total === undefined) return `${grouped(this.#done)}, ${speed}`;
    const share = `${String(Math.floor(100 * this.#share(this.#total)))} %, ${grouped(this.#done)} of ${grouped(this.#total)}`;
    const left = Math.max(0, this.#total - this.#done);
    return left === 0 || rate === 0 ? `${share}, ${speed}` : `${share}, ${speed}, ${duration(left / rate)} left`;
  }
}

/** `1,234,567`, in every locale. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `4:05`, `1:04:05`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (n: number): string => String(n).padStart(2, '0');
  return h > 0 ? `${String(h)}:${two(m)}:${two(s)}` : `${String(m)}:${two(s)}`;
}
