/** What a deployment tells on its way: to the log, and to who asked for it (docs/interface/deployment.md 3.4). */
import type { JobControl } from '../../files/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { logger } from '../../../shared/log.js';

const log = logger('deployment');

/** Notes that are kept for the answer. */
const MOST_NOTES = 100;
const LONGEST = 2000;

export interface Note {
  readonly kind: 'WARNING' | 'INFO';
  readonly title: string;
  readonly message: string;
}

export class Report {
  readonly notes: Note[] = [];
  #phase = '';
  readonly #begun = Date.now();

  constructor(
    private readonly what: string,
    /** Hears of phases as they begin, and of notes, of which there are at most as many as are kept. */
    private readonly job?: Pick<JobControl, 'phase' | 'note'>,
  ) {}

  get phase(): string {
    return this.#phase;
  }

  begin(phase: string): void {
    this.#phase = phase;
    log.info(`${this.what}: ${phase}`);
    this.job?.phase(phase);
  }

  warn(title: string, message: string): void {
    this.#note({ kind: 'WARNING', title, message });
    log.warn(`${this.what}: ${title}: ${message}`);
  }

  inform(title: string, message: string): void {
    this.#note({ kind: 'INFO', title, message });
    log.info(`${this.what}: ${title}: ${message}`);
  }

  /** One warning for a list of things of the same kind; nothing when it is empty. */
  warnOfAll(title: string, all: Iterable<string>): void {
    const list = [...all];
    if (list.length > 0) this.warn(title, list.join(', '));
  }

  /** What is shown of it: all notes, and milliseconds. */
  info(): JsonObject {
    return { duration: Date.now() - this.#begun, notes: this.notes.map((note) => ({ ...note })) };
  }

  #note(note: Note): void {
    if (this.notes.length >= MOST_NOTES) return;
    const message = note.message.slice(0, LONGEST);
    this.notes.push({ ...note, message });
    this.job?.note(note.kind, note.title, message);
  }
}
