/** Milliseconds that those of one phase may take together, and after how many of them the clock is looked at. */
const LONGEST = 8;
const LOOK = 16;

/** Something that goes on in a turn of its own. */
export interface Turn {
  turn(): void;
}

/**
 * What uWebSockets.js calls must not answer, end or close anything: it goes on with the socket it was busy with, which may be gone
 * then, and promises that are resolved in a call run before it returns. So its calls only note what has come, and
 * all of it is worked on in the next phase of the loop.
 */
export class Turns {
  private next: Turn[] = [];
  private planned = false;

  /** Calls `turn` once this call from the library has returned. */
  later(turn: Turn): void {
    this.next.push(turn);
    if (this.planned) return;
    this.planned = true;
    setImmediate(this.run);
  }

  private readonly run = (): void => {
    const now = this.next;
    this.next = [];
    this.planned = false;
    const since = performance.now();
    for (let i = 0; i < now.length; i++) {
      // Many are answered at once: others get the loop in between.
      if (i % LOOK === LOOK - 1 && performance.now() - since > LONGEST) {
        this.next = [...now.slice(i), ...this.next];
        if (!this.planned) setImmediate(this.run);
        this.planned = true;
        return;
      }
      now[i]?.turn();
    }
  };
}
