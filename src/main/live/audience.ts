/** Those who listen to one address with the rights of one user, and what they are told (docs/design/live.md). */
import type { ChangeNotice } from '../graph/index.js';
import type { Asker } from '../request/index.js';
import type { Actor } from '../schema/index.js';
import { objectsOf, type Affected } from './affected.js';
import { wasShown } from './before.js';
import { ownEvent, type LiveEvent } from './frames.js';
import type { LiveStream } from './stream.js';
import type { Round } from './touched.js';
import type { Shown, Watched } from './watched.js';

/** Events that are kept for those who come back, and their characters. */
const KEPT = 1000;
const KEPT_CHARACTERS = 512 * 1024;
/** Objects that are read at once. */
const BATCH = 500;

/** What has become of an object for who listens. */
type Action = 'create' | 'update' | 'delete';

interface Kept {
  readonly number: number;
  readonly events: readonly LiveEvent[];
  readonly characters: number;
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
  since(number: number): readonly LiveEvent[] | undefined {
    if (number < this.#from) return undefined;
    return this.#kept.filter((one) => one.number > number).flatMap(({ events }) => events);
  }

  /** Events of a round: what its changes mean to this audience. */
  async round({ number, changes }: Round, asker: Asker): Promise<readonly LiveEvent[]> {
    if (changes === undefined || rightsOf(asker) !== this.#rights) {
      await this.begin(asker, number);
      return [ownEvent('reload', JSON.stringify({ subscription: this.watched.address }))];
    }
    const events: LiveEvent[] = [];
    await this.#each(asker, objectsOf(changes, this.watched), (one, shown) => {
      const action = this.#action(one.id, one.last, shown !== undefined, asker);
      if (action !== undefined) events.push(this.#event(action, one, shown));
    });
    if (events.length > 0) this.#keep({ number, events, characters: charactersOf(events) });
    return events;
  }

  /**
   * Events of what was committed before this audience has begun, to who has heard of all before that: on another instance, or here long ago. Undefined: it
   * cannot be said whether the client was shown something that has left, or they are too many.
   */
  async missed(changes: readonly ChangeNotice[], asker: Asker): Promise<readonly LiveEvent[] | undefined> {
    const events: LiveEvent[] = [];
    let isKnown = true;
    const rule = asker.access.rule('read');
    const objects = objectsOf(changes, this.watched);
    if (objects.length > KEPT) return undefined;
    await this.#each(asker, objects, (one, shown) => {
      const before = wasShown(one, shown !== undefined, this.watched, rule);
      // What may be new to the client comes as if it were.
      if (shown !== undefined) events.push(this.#event(before === true ? 'update' : 'create', one, shown));
      else if (before === true) events.push(this.#event('delete', one, undefined));
      else if (before === undefined) isKnown = false;
    });
    return isKnown && charactersOf(events) <= KEPT_CHARACTERS ? events : undefined;
  }

  async #each(
    asker: Asker,
    affected: readonly Affected[],
    take: (one: Affected, shown: Shown | undefined) => void,
  ): Promise<void> {
    for (let at = 0; at < affected.length; at += BATCH) {
      const some = affected.slice(at, at + BATCH);
      const shown = await this.watched.shown(
        asker,
        some.map(({ id }) => id),
      );
      for (const one of some) take(one, shown.get(one.id));
    }
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

  #event(action: Action, { id, type }: Affected, shown: Shown | undefined): LiveEvent {
    const head = JSON.stringify({ subscription: this.watched.address, action, id, type: shown?.type ?? type });
    return ownEvent('change', shown?.json === undefined ? head : `${head.slice(0, -1)},"object":${shown.json}}`);
  }

  #keep(one: Kept): void {
    this.#kept.push(one);
    this.#characters += one.characters;
    while (this.#kept.length > KEPT || this.#characters > KEPT_CHARACTERS) {
      const first = this.#kept.shift();
      if (first === undefined) return;
      this.#characters -= first.characters;
      this.#from = first.number;
    }
  }

  #seesAll(asker: Asker): boolean {
    return this.watched.isWhole && asker.access.rule('read') === undefined;
  }
}

function rightsOf({ access }: Asker): string {
  return JSON.stringify(access.rule('read') ?? null);
}

function charactersOf(events: readonly LiveEvent[]): number {
  return events.reduce((sum, { data }) => sum + data.length, 0);
}
