import { TimeSlice } from '../../../shared/time-slice.js';

/** Where finished text goes when a result is too large to be held; resolves when more may come. */
export type Sink = (text: string) => Promise<void>;

const TABS: string[] = [''];
/** Text kept before it is handed to the sink. */
const FLUSH_AT = 64 * 1024;

/**
 * JSON text being built. Small results stay one string; with a sink, large ones leave in pieces, and the loop is
 * given back every few milliseconds.
 */
export class JsonOut {
  text = '';
  private readonly slice = new TimeSlice();

  constructor(
    /** Tabs and line ends (`json.indentation`). */
    readonly indent: boolean,
    private readonly sink?: Sink,
  ) {}

  /** Line end and indentation of a level; empty when not indented. */
  newline(level: number): string {
    if (!this.indent) return '';
    let tabs = TABS[level];
    if (tabs === undefined) {
      for (let i = TABS.length; i <= level; i++) TABS[i] = TABS[i - 1] + '\t';
      tabs = TABS[level] ?? '';
    }
    return '\n' + tabs;
  }

  /** True when `pause` has something to do; asked once an object. */
  get due(): boolean {
    return (this.sink !== undefined && this.text.length >= FLUSH_AT) || this.slice.due;
  }

  /** Hands text to the sink and lets the loop run. */
  async pause(): Promise<void> {
    if (this.sink !== undefined && this.text.length >= FLUSH_AT) {
      const text = this.text;
      this.text = '';
      await this.sink(text);
    }
    if (this.slice.due) await this.slice.pause();
  }
}
