/** Lines that were run, kept in this browser for each user, newest last. */
import type { Mode } from './modes.js';

export interface Past {
  readonly mode: Mode;
  readonly line: string;
}

const KEPT = 200;
/** Characters of a line that is worth keeping. */
const LONGEST = 20_000;

export class History {
  private readonly key: string;
  private past: readonly Past[];

  constructor(userId: string) {
    this.key = `svc.console.${userId}`;
    this.past = readPast(this.key);
  }

  get length(): number {
    return this.past.length;
  }

  /** The line that is `back` lines before now, of 1; undefined: there are not so many. */
  at(back: number): Past | undefined {
    return back < 1 ? undefined : this.past[this.past.length - back];
  }

  add(one: Past): void {
    if (one.line.length > LONGEST) return;
    const others = this.past.filter(({ mode, line }) => mode !== one.mode || line !== one.line);
    this.keep([...others, one].slice(-KEPT));
  }

  clear(): void {
    this.keep([]);
  }

  private keep(past: readonly Past[]): void {
    this.past = past;
    try {
      localStorage.setItem(this.key, JSON.stringify(past));
    } catch {
      // A full storage costs the history of other days, not the one of this page.
    }
  }
}

function readPast(key: string): readonly Past[] {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? '[]') as unknown;
    if (!Array.isArray(found)) return [];
    return found.filter(
      (one): one is Past =>
        typeof one === 'object' && one !== null && typeof (one as Past).line === 'string' && 'mode' in one,
    );
  } catch {
    return [];
  }
}
