/** How a pool of work is doing, for who watches the process. */

/** What all work of one kind in a pool came to. */
export interface KindFigures {
  done: number;
  failed: number;
  /** Seconds that it waited for its turn. */
  waited: number;
  /** Seconds that it ran. */
  ran: number;
}

/** Kinds that are told apart; more would be one that names what it works on. */
const MOST_KINDS = 100;

export class WorkFigures {
  readonly kinds = new Map<string, KindFigures>();

  constructor(
    readonly pool: string,
    private readonly current: () => { readonly running: number; readonly waiting: number },
  ) {}

  get running(): number {
    return this.current().running;
  }

  get waiting(): number {
    return this.current().waiting;
  }

  /** One piece of work is over. */
  add(what: string, waited: number, ran: number, failed: boolean): void {
    const kind = this.kinds.has(what) || this.kinds.size < MOST_KINDS ? what : 'other';
    let figures = this.kinds.get(kind);
    if (figures === undefined) this.kinds.set(kind, (figures = { done: 0, failed: 0, waited: 0, ran: 0 }));
    if (failed) figures.failed++;
    else figures.done++;
    figures.waited += waited;
    figures.ran += ran;
  }
}
