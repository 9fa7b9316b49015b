import { ResponseHead } from '../response/response-head.js';

/** A head that was written elsewhere: status line and all headers, as `ResponseHead.text` makes it. Nothing is set in it any more. */
export class TextHead extends ResponseHead {
  constructor(private whole: string) {
    super();
  }

  override get(lower: string): string | undefined {
    return this.#line(lower)?.slice(lower.length + 4);
  }

  override take(lower: string): string | undefined {
    const line = this.#line(lower);
    if (line === undefined) return undefined;
    this.whole = this.whole.replace(line, '');
    return line.slice(lower.length + 4);
  }

  override text(): string {
    return this.whole;
  }

  override pairs(): string[] {
    const pairs: string[] = [];
    for (const line of this.whole.split('\r\n').slice(1)) {
      const at = line.indexOf(': ');
      pairs.push(line.slice(0, at), line.slice(at + 2));
    }
    return pairs;
  }

  /** With the line end before it. */
  #line(lower: string): string | undefined {
    const at = this.whole.toLowerCase().indexOf(`\r\n${lower}: `);
    if (at < 0) return undefined;
    const end = this.whole.indexOf('\r\n', at + 2);
    return this.whole.slice(at, end < 0 ? undefined : end);
  }
}
