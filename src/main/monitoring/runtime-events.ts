/**
 * The runtime event log (docs/interface/monitoring.md 5): what has happened lately, in memory. Each type has a ring of its own, so that
 * thousands of requests a second do not push out the one login that failed.
 */
import { HAPPENING_TYPES, type HappeningType } from '../../shared/happened.js';
import type { JsonObject } from '../../shared/json/index.js';

/** Events of each type that are kept; 100,000 all together. */
const KEPT: Readonly<Partial<Record<HappeningType, number>>> = { Rest: 20_000, Http: 20_000, Transaction: 20_000 };
const KEPT_OF_OTHERS = 5000;
/** Characters of a text in an event: messages of errors may quote what a client sent. */
const LONGEST_TEXT = 2000;

export interface RuntimeEvent {
  readonly id: number;
  readonly type: HappeningType;
  /** Milliseconds since 1970. */
  readonly absoluteTimestamp: number;
  /** Nanoseconds of a clock that only goes forward. */
  readonly relativeTimestamp: number;
  readonly description: string;
  seen: boolean;
  readonly data: JsonObject;
}

/** Which events; what is absent does not narrow. */
export interface EventFilter {
  readonly ids?: ReadonlySet<number>;
  readonly types?: ReadonlySet<string>;
  readonly seen?: boolean;
}

/** The newest of one type. */
class Ring {
  readonly #events: RuntimeEvent[] = [];
  #next = 0;

  constructor(private readonly most: number) {}

  /** Keeps it in the place of the oldest, which it answers. */
  add(event: RuntimeEvent): RuntimeEvent | undefined {
    const oldest = this.#events[this.#next];
    this.#events[this.#next] = event;
    this.#next = (this.#next + 1) % this.most;
    return oldest;
  }

  /** The newest is number 0. */
  at(index: number): RuntimeEvent | undefined {
    const { length } = this.#events;
    return index >= length ? undefined : this.#events[(this.#next - 1 - index + 2 * length) % length];
  }
}

export class RuntimeEvents {
  readonly #rings = new Map<string, Ring>(
    HAPPENING_TYPES.map((type) => [type, new Ring(KEPT[type] ?? KEPT_OF_OTHERS)]),
  );
  /** Events about objects that somebody may repair, by the object. */
  readonly #about = new Map<string, Set<RuntimeEvent>>();
  #last = 0;

  readonly record = (type: HappeningType, description: string, data: JsonObject): void => {
    const event: RuntimeEvent = {
      id: ++this.#last,
      type,
      absoluteTimestamp: Date.now(),
      relativeTimestamp: Math.round(performance.now() * 1_000_000),
      description: short(description),
      seen: false,
      data: shortened(data),
    };
    const dropped = this.#rings.get(type)?.add(event);
    // Scripts alone are about objects; the ids of others are those of users.
    if (type !== 'Scripting') return;
    if (dropped !== undefined) this.#forget(dropped);
    const id = data['id'];
    if (typeof id !== 'string') return;
    const about = this.#about.get(id);
    if (about === undefined) this.#about.set(id, new Set([event]));
    else about.add(event);
  };

  /** Those that pass the filter, the newest first. */
  *find(filter: EventFilter): Generator<RuntimeEvent, void, undefined> {
    const rings = [...this.#rings]
      .filter(([type]) => filter.types?.has(type) !== false)
      .map(([, ring]) => ({ ring, index: 0 }));
    for (;;) {
      let newest: { readonly ring: Ring; index: number } | undefined;
      let found: RuntimeEvent | undefined;
      for (const one of rings) {
        const event = one.ring.at(one.index);
        if (event !== undefined && (found === undefined || event.id > found.id)) [newest, found] = [one, event];
      }
      if (newest === undefined || found === undefined) return;
      newest.index++;
      if (filter.ids?.has(found.id) === false || (filter.seen !== undefined && filter.seen !== found.seen)) continue;
      yield found;
    }
  }

  /** All that pass the filter count as seen. Returns how many did not before. */
  acknowledge(filter: EventFilter): number {
    let count = 0;
    for (const event of this.find({ ...filter, seen: false })) {
      event.seen = true;
      count++;
    }
    return count;
  }

  /** Whether there are events about objects, so that changes of these are worth a look. */
  get isAboutObjects(): boolean {
    return this.#about.size > 0;
  }

  /** Somebody has changed the object: what was said about it counts as seen. */
  changed(id: string): void {
    for (const event of this.#about.get(id) ?? []) event.seen = true;
  }

  #forget(event: RuntimeEvent): void {
    const id = event.data['id'];
    if (typeof id !== 'string') return;
    const about = this.#about.get(id);
    about?.delete(event);
    if (about?.size === 0) this.#about.delete(id);
  }
}

function short(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}...` : text;
}

/** The same data, unless a text in it is long. */
function shortened(data: JsonObject): JsonObject {
  for (const key in data) {
    const value = data[key];
    if (typeof value !== 'string' || value.length <= LONGEST_TEXT) continue;
    return Object.fromEntries(
      Object.entries(data).map(([name, one]) => [name, typeof one === 'string' ? short(one) : one]),
    );
  }
  return data;
}
