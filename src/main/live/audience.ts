/** Those who listen to one address with the rights of one user, and what they are told (docs/design/live.md). */
import type { ChangeNotice } from '../graph/index.js';
import type { Asker } from '../request/index.js';
import type { Actor } from '../schema/index.js';
import { frame } from './frames.js';
import type { LiveStream } from './stream.js';
import type { Round } from './touched.js';
import type { Watched } from './watched.js';

/** Events that are kept for those who come back, and their characters. */
const KEPT = 1000;
const KEPT_CHARACTERS = 512 * 1024;
/** Objects that are read at once. */
const BATCH = 500;

/** What has become of an object for who listens. */
type Action = 'create' | 'update' | 'delete';

interface Kept {
  readonly number: number;
  readonly text: string;
}

/** Numbers of ids that all audiences know, and may. */
export interface KnownBudget {
  used: number;
  readonly most: number;
  /** What one of them may know. */
  readonly each: number;
}

export class Audience {
  readonly streams = new Set<LiveStream>();
  /** When the last stream has left, `performance.now()`. */
  emptySince: number | undefined;
  /** Ids of what it shows; undefined: there are too many, or none are needed. */
  #known: Set<string> | undefined;
  readonly #kept: Kept[] = [];
  #characters = 0;
  /** What came up to this number is not kept. */
  #from = 0;
  /** Rights as the last round had them. */
  #rights = '';

  constructor(
    readonly watched: Watched,
    readonly actor: Actor,
    private readonly budget: KnownBudget,
  ) {}

  /** Learns what is shown now: commits up to `number` are in it. */
  async begin(asker: Asker, number: number): Promise<void> {
    this.forget();
    this.#rights = rightsOf(asker);
    this.#from = number;
    this.#kept.length = 0;
    this.#characters = 0;
    if (this.#seesAll(asker)) return;
    const most = Math.min(this.budget.each, this.budget.most - this.budget.used);
    const ids = await this.watched.all(asker, most);
    if (ids === undefined) return;
    this.#known = new Set(ids);
    this.budget.used += this.#known.size;
  }

  /** Gives back what it counts. */
  forget(): void {
    this.budget.used -= this.#known?.size ?? 0;
    this.#known = undefined;
  }

  /** What came behind that number; undefined: it is not known any more. */
  since(number: number): string | undefined {
    if (number < this.#from) return undefined;
    return this.#kept
      .filter((one) => one.number > number)
      .map(({ text }) => text)
      .join('');
  }

  /** Frames of a round: what its changes mean to this audience. Empty: nothing. */
  async round({ number, changes }: Round, asker: Asker): Promise<string> {
    if (changes === undefined || rightsOf(asker) !== this.#rights) {
      await this.begin(asker, number);
      return frame('reload', JSON.stringify({ subscription: this.watched.address }));
    }
    const touched = this.#touched(changes);
    if (touched.size === 0) return '';
    let text = '';
    const ids = [...touched.keys()];
    for (let at = 0; at < ids.length; at += BATCH) {
      const some = ids.slice(at, at + BATCH);
      const shown = await this.watched.shown(asker, some);
      for (const id of some) {
        const { verb, type } = touched.get(id) ?? { verb: 'change', type: '' };
        const action = this.#action(id, verb, shown.has(id), asker);
        if (action !== undefined) text += this.#event(action, id, shown.get(id)?.type ?? type, shown.get(id)?.json);
      }
    }
    if (text !== '') this.#keep({ number, text });
    return text;
  }

  #action(id: string, verb: ChangeNotice['verb'], isShown: boolean, asker: Asker): Action | undefined {
    if (!isShown) {
      if (this.#known?.delete(id) === true) {
        this.budget.used--;
        return 'delete';
      }
      return verb === 'delete' && this.#seesAll(asker) ? 'delete' : undefined;
    }
    if (this.#known === undefined) return verb === 'create' ? 'create' : 'update';
    if (this.#known.has(id)) return 'update';
    if (this.#known.size >= this.budget.each || this.budget.used >= this.budget.most) {
      this.forget();
    } else {
      this.#known.add(id);
      this.budget.used++;
    }
    return 'create';
  }

  #event(action: Action, id: string, type: string, object: string | undefined): string {
    const head = JSON.stringify({ subscription: this.watched.address, action, id, type });
    return frame('change', object === undefined ? head : `${head.slice(0, -1)},"object":${object}}`);
  }

  #keep(one: Kept): void {
    this.#kept.push(one);
    this.#characters += one.text.length;
    while (this.#kept.length > KEPT || this.#characters > KEPT_CHARACTERS) {
      const first = this.#kept.shift();
      if (first === undefined) return;
      this.#characters -= first.text.length;
      this.#from = first.number;
    }
  }

  /** Objects of a round by id; the last of creation and deletion counts. */
  #touched(changes: readonly ChangeNotice[]): Map<string, { verb: ChangeNotice['verb']; type: string }> {
    const touched = new Map<string, { verb: ChangeNotice['verb']; type: string }>();
    const touch = (id: string, verb: ChangeNotice['verb'], type: string): void => {
      if (this.watched.id !== undefined && this.watched.id !== id) return;
      const known = touched.get(id);
      if (known === undefined || verb === 'create' || verb === 'delete') touched.set(id, { verb, type });
    };
    for (const change of changes) {
      if (!this.watched.concerns(change)) continue;
      if (change.kind === 'node') touch(change.id, change.verb, change.type);
      else for (const id of [change.sourceId, change.targetId]) if (id !== undefined) touch(id, 'change', '');
    }
    return touched;
  }

  #seesAll(asker: Asker): boolean {
    return this.watched.isWhole && asker.access.rule('read') === undefined;
  }
}

function rightsOf({ access }: Asker): string {
  return JSON.stringify(access.rule('read') ?? null);
}
