/**
 * The runtime event log (docs/interface/monitoring.md 5): what has happened lately, in memory. Each type has a ring of its own, so that
 * thousands of requests a second do not push out the one login that failed.
 */
import { HAPPENING_TYPES, type HappeningListener, type HappeningType } from '../../shared/happened.js';
import type { JsonObject } from '../../shared/json/index.js';

/** Events of each type that are kept; 100,000 all together. */
const KEPT: Readonly<Partial<Record<HappeningType, number>>> = { Rest: 20_000, Http: 20_000, Transaction: 20_000 };
const KEPT_OF_OTHERS = 5000;
/** Characters of a text in an event: messages of errors may quote what a client sent. */
const LONGEST_TEXT = 2000;
/** Signatures of endpoints that are kept once. */
const MOST_PATHS = 5000;

export interface RuntimeEvent {
  readonly id: number;
  readonly type: HappeningType;
  /** Milliseconds since 1970. */
  readonly absoluteTimestamp: number;
  /** Nanoseconds of a clock that only goes forward. */
  readonly relativeTimestamp: number;
  readonly description: string;
  readonly seen: boolean;
  readonly data: JsonObject;
}

/** Which events; what is absent does not narrow. */
export interface EventFilter {
  readonly ids?: ReadonlySet<number>;
  readonly types?: ReadonlySet<string>;
  readonly seen?: boolean;
}

/** An event as it is kept: written anew when its turn comes, so that requests leave no garbage behind. */
class Slot {
  id = 0;
  absoluteTimestamp = 0.5;
  relativeTimestamp = 0.5;
  description = '';
  seen = false;
  data: JsonObject | undefined = undefined;
  /** Of a request, in the place of `data`. */
  path = '';
  userId: string | undefined = undefined;
  userName = '';
}

/** The newest of one type. */
class Ring {
  readonly #slots: Slot[] = [];
  #next = 0;

  constructor(private readonly most: number) {}

  /** The oldest, for a new event; what it was can still be read. */
  take(): Slot {
    const at = this.#next;
    this.#next = (at + 1) % this.most;
    return (this.#slots[at] ??= new Slot());
  }

  /** The newest is number 0. */
  at(index: number): Slot | undefined {
    const { length } = this.#slots;
    return index >= length ? undefined : this.#slots[(this.#next - 1 - index + 2 * length) % length];
  }
}

export class RuntimeEvents implements HappeningListener {
  readonly #rings = new Map<HappeningType, Ring>(
    HAPPENING_TYPES.map((type) => [type, new Ring(KEPT[type] ?? KEPT_OF_OTHERS)]),
  );
  /** Numbers of events about objects that somebody may repair, by the object. */
  readonly #about = new Map<string, Set<number>>();
  readonly #paths = new Map<string, string>();
  #last = 0;

  happened(type: HappeningType, description: string, data: JsonObject): void {
    const slot = this.#slot(type);
    if (slot === undefined) return;
    // Scripts alone are about objects; the ids of others are those of users.
    if (type === 'Scripting') this.#forget(slot);
    this.#fill(slot, short(description));
    slot.data = shortened(data);
    if (type === 'Scripting') this.#remember(slot.id, data);
  }

  answered(type: 'Rest' | 'Csv', method: string, path: string, id: string | undefined, name: string): void {
    const slot = this.#slot(type);
    if (slot === undefined) return;
    this.#fill(slot, method);
    slot.path = this.#known(path);
    slot.userId = id;
    slot.userName = name;
  }

  /** Those that pass the filter, the newest first. */
  *find(filter: EventFilter): Generator<RuntimeEvent, void, undefined> {
    for (const [type, slot] of this.#found(filter)) yield eventOf(type, slot);
  }

  /** All that pass the filter count as seen. Returns how many did not before. */
  acknowledge(filter: EventFilter): number {
    let count = 0;
    for (const [, slot] of this.#found({ ...filter, seen: false })) {
      slot.seen = true;
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
    const ids = this.#about.get(id);
    if (ids !== undefined) this.acknowledge({ types: new Set(['Scripting']), ids });
  }

  *#found(filter: EventFilter): Generator<readonly [HappeningType, Slot], void, undefined> {
    const rings = [...this.#rings]
      .filter(([type]) => filter.types?.has(type) !== false)
      .map(([type, ring]) => ({ type, ring, index: 0 }));
    // Whoever takes his time sees no event twice, though rings go on.
    let before = Infinity;
    for (;;) {
      let newest: (typeof rings)[number] | undefined;
      let found: Slot | undefined;
      for (const one of rings) {
        let slot = one.ring.at(one.index);
        while (slot !== undefined && slot.id >= before) slot = one.ring.at(++one.index);
        if (slot !== undefined && (found === undefined || slot.id > found.id)) [newest, found] = [one, slot];
      }
      if (newest === undefined || found === undefined) return;
      before = found.id;
      if (filter.ids?.has(found.id) === false || (filter.seen !== undefined && filter.seen !== found.seen)) continue;
      yield [newest.type, found];
    }
  }

  /** The same text, once for all requests: one of each request's own would outlive it, and be moved by the collector of garbage. */
  #known(path: string): string {
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    if (this.#paths.size >= MOST_PATHS) this.#paths.clear();
    this.#paths.set(path, path);
    return path;
  }

  #slot(type: HappeningType): Slot | undefined {
    return this.#rings.get(type)?.take();
  }

  #fill(slot: Slot, description: string): void {
    slot.id = ++this.#last;
    slot.absoluteTimestamp = Date.now();
    slot.relativeTimestamp = performance.now();
    slot.description = description;
    slot.seen = false;
  }

  #remember(number: number, { id }: JsonObject): void {
    if (typeof id !== 'string') return;
    const about = this.#about.get(id);
    if (about === undefined) this.#about.set(id, new Set([number]));
    else about.add(number);
  }

  #forget({ id: number, data }: Slot): void {
    const id = data?.['id'];
    if (typeof id !== 'string') return;
    const about = this.#about.get(id);
    about?.delete(number);
    if (about?.size === 0) this.#about.delete(id);
  }
}

function eventOf(type: HappeningType, slot: Slot): RuntimeEvent {
  const { id, absoluteTimestamp, relativeTimestamp, description, seen, data, path, userId, userName } = slot;
  return {
    id,
    type,
    absoluteTimestamp,
    relativeTimestamp: Math.round(relativeTimestamp * 1_000_000),
    description,
    seen,
    data: data ?? { method: description, path, ...(userId === undefined ? {} : { id: userId, name: userName }) },
  };
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
