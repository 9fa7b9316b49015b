/** Random requests, and what the model answers to them. */
import type { Answer } from '../support/client.js';
import {
  Refusal,
  shownValue,
  type Actor,
  type Input,
  type Json,
  type Link,
  type Model,
  type Side,
  type Thing,
} from './model.js';
import { VIEW } from './plan.js';
import type { Random } from './random.js';
import { Bodies, randomValue } from './values.js';

export interface Request {
  readonly actor: Actor;
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
  readonly signature: string;
  /** The relationship whose uuid belongs at the end of the path: only the server knows it. */
  readonly relationship?: Link;
  /** Runs in the model what the request does; returns what the answer's result has to be. Throws `Refusal`. */
  readonly run: (model: Model) => Expected;
}

export interface Expected {
  readonly status: number;
  /** What differs in an answer of that status; undefined: nothing. */
  readonly differs?: (answer: Answer) => string | undefined;
}

const OK: Expected = { status: 200 };

export class Requests {
  constructor(
    private readonly random: Random,
    private readonly model: Model,
    private readonly actors: readonly Actor[],
  ) {}

  /** A request of anybody. `writes`: one that may change something. */
  next(writes = false): Request {
    const { random, model } = this;
    const actor = random.pick(this.actors);
    const present = model.plan.types.map(({ name }) => name).filter((name) => !model.absent.has(name));
    const type = random.pick(present);
    const kinds: [number, () => Request | undefined][] = [
      [8, () => this.#post(actor, type)],
      [8, () => this.#put(actor, type)],
      [2, () => this.#deleteOne(actor, type)],
      [1, () => this.#deleteSome(actor, type)],
      [3, () => this.#upsert(actor, type)],
      [4, () => this.#writeBelow(actor, type)],
      [3, () => this.#relationship(actor)],
    ];
    if (!writes)
      kinds.push(
        [8, () => this.#list(actor, type)],
        [4, () => this.#get(actor, type)],
        [3, () => this.#below(actor, type)],
      );
    for (;;) {
      const request = random.weighted(kinds)();
      if (request !== undefined) return request;
    }
  }

  #bodies(): Bodies {
    return new Bodies(this.random, this.model);
  }

  #post(actor: Actor, type: string): Request {
    const bodies = this.#bodies();
    const list = this.random.chance(0.2)
      ? Array.from({ length: 1 + this.random.below(3) }, () => bodies.creation(type))
      : undefined;
    const inputs = list ?? [bodies.creation(type)];
    const ids = inputs.map(({ id }) => id);
    return {
      actor,
      method: 'POST',
      path: `/${type}`,
      body: list ?? inputs[0] ?? null,
      signature: type,
      run: (model) => {
        model.transaction(() => {
          for (const input of inputs) model.create(actor, type, input);
        });
        return { status: 201, differs: same((answer) => answer.body.result, ids) };
      },
    };
  }

  #put(actor: Actor, type: string): Request {
    const bodies = this.#bodies();
    const id = bodies.idOf(type);
    const body = bodies.change(this.model.things.get(id)?.type ?? type);
    return {
      actor,
      method: this.random.chance(0.5) ? 'PUT' : 'PATCH',
      path: `/${type}/${id}`,
      body,
      signature: `${type}/_id`,
      run: (model) => {
        const thing = model.find(actor, type, id);
        model.transaction(() => {
          model.update(actor, thing, body);
        });
        return OK;
      },
    };
  }

  #upsert(actor: Actor, type: string): Request {
    const { random } = this;
    const bodies = this.#bodies();
    const elements = Array.from({ length: 1 + random.below(3) }, (): Input => {
      const id = bodies.idOf(type);
      return { ...bodies.change(this.model.things.get(id)?.type ?? type), id };
    });
    return {
      actor,
      method: 'PATCH',
      path: `/${type}`,
      body: elements,
      signature: type,
      run: (model) => {
        model.transaction(() => {
          for (const { id, ...own } of elements)
            model.update(actor, model.find(actor, type, typeof id === 'string' ? id : ''), own);
        });
        return OK;
      },
    };
  }

  #deleteOne(actor: Actor, type: string): Request {
    const id = this.#bodies().idOf(type);
    return {
      actor,
      method: 'DELETE',
      path: `/${type}/${id}`,
      signature: `${type}/_id`,
      run: (model) => {
        const thing = model.find(actor, type, id);
        model.transaction(() => {
          model.delete(actor, thing);
        });
        return OK;
      },
    };
  }

  #deleteSome(actor: Actor, type: string): Request | undefined {
    const filter = this.#filter(type, false);
    if (filter === undefined) return undefined;
    return {
      actor,
      method: 'DELETE',
      path: `/${type}?${filter.query}`,
      signature: type,
      run: (model) => {
        const found = model.seen(actor, type).filter((thing) => filter.matches(model, actor, thing));
        model.transaction(() => {
          for (const thing of found) if (model.get(thing.id) !== undefined) model.delete(actor, thing);
        });
        return OK;
      },
    };
  }

  #side(type: string): { id: string; side: Side } | undefined {
    const sides = this.model.sidesOf(type);
    return sides.length === 0 ? undefined : { id: this.#bodies().idOf(type), side: this.random.pick(sides) };
  }

  #writeBelow(actor: Actor, type: string): Request | undefined {
    const chosen = this.#side(type);
    if (chosen === undefined) return undefined;
    const { id, side } = chosen;
    const { random } = this;
    const bodies = this.#bodies();
    const at = { actor, path: `/${type}/${id}/${side.name}`, signature: `${type}/_id/${side.name}` };
    const kind = random.weighted([
      [4, 'POST'],
      [4, 'PUT'],
      [1, 'DELETE'],
    ]);
    if (kind === 'POST') {
      const body = bodies.creation(side.related);
      return {
        ...at,
        method: 'POST',
        body,
        run: (model) => {
          model.transaction(() => {
            const thing = model.find(actor, type, id);
            if (!model.may(actor, 'write', thing)) throw new Refusal(403, 'no write');
            const other = model.create(actor, side.related, body);
            const [source, target] = side.out ? [thing, other] : [other, thing];
            model.link(actor, side.relation, source, target);
          });
          return { status: 201 };
        },
      };
    }
    if (kind === 'PUT') {
      const ids = Array.from({ length: random.below(4) }, () => bodies.idOf(side.related));
      return {
        ...at,
        method: 'PUT',
        body: Object.fromEntries(ids.map((one, i) => [`k${String(i)}`, one])),
        run: (model) => {
          const thing = model.find(actor, type, id);
          model.transaction(() => {
            model.update(actor, thing, { [side.name]: side.many ? ids : (ids[0] ?? null) });
          });
          return OK;
        },
      };
    }
    return {
      ...at,
      method: 'DELETE',
      run: (model) => {
        const thing = model.find(actor, type, id);
        const found = model.related(actor, thing, side);
        model.transaction(() => {
          for (const one of found) if (model.get(one.id) !== undefined) model.delete(actor, one);
        });
        return OK;
      },
    };
  }

  #relationship(actor: Actor): Request | undefined {
    const { random, model } = this;
    const relations = model.plan.relations.filter(
      ({ source, target }) => !model.absent.has(source) && !model.absent.has(target),
    );
    if (relations.length === 0) return undefined;
    const relation = random.pick(relations);
    const links = [...model.links].filter((one) => one.relation === relation.name);
    if (links.length > 0 && random.chance(0.4)) {
      const link = random.pick(links);
      return {
        actor,
        method: 'DELETE',
        path: `/${relation.name}`,
        relationship: link,
        signature: `${relation.name}/_id`,
        run: (now) => {
          const [source, target] = [now.get(link.source), now.get(link.target)];
          const known = now.linked(relation, link.source, link.target);
          if (known === undefined || source === undefined || target === undefined)
            throw new Refusal(404, 'no relationship');
          if (!now.may(actor, 'read', source) || !now.may(actor, 'read', target)) throw new Refusal(404, 'not seen');
          now.transaction(() => {
            now.unlink(actor, known);
          });
          return OK;
        },
      };
    }
    const bodies = this.#bodies();
    const [sourceId, targetId] = [bodies.idOf(relation.source), bodies.idOf(relation.target)];
    return {
      actor,
      method: 'POST',
      path: `/${relation.name}`,
      body: { sourceId, targetId },
      signature: relation.name,
      run: (now) => {
        const end = (id: string, type: string): Thing => {
          const thing = now.get(id);
          if (thing === undefined || !now.may(actor, 'read', thing)) throw new Refusal(422, 'object_not_found');
          if (!now.isA(thing.type, type)) throw new Refusal(422, 'must_be_of_type');
          return thing;
        };
        now.transaction(() => {
          now.link(actor, relation, end(sourceId, relation.source), end(targetId, relation.target));
        });
        return { status: 201 };
      },
    };
  }

  #get(actor: Actor, type: string): Request {
    const id = this.#bodies().idOf(type);
    return {
      actor,
      method: 'GET',
      path: `/${type}/${id}/${VIEW}?_outputNestingDepth=1`,
      signature: `${type}/_id/_Fuzz`,
      run: (model) => {
        const thing = model.find(actor, type, id);
        const wanted = shown(model, actor, thing);
        return { status: 200, differs: same((answer) => flat(model, answer.body.result), wanted) };
      },
    };
  }

  #below(actor: Actor, type: string): Request | undefined {
    const chosen = this.#side(type);
    if (chosen === undefined) return undefined;
    const { id, side } = chosen;
    return {
      actor,
      method: 'GET',
      path: `/${type}/${id}/${side.name}/${VIEW}?_outputNestingDepth=1`,
      signature: `${type}/_id/${side.name}/_Fuzz`,
      run: (model) => {
        const thing = model.find(actor, type, id);
        const wanted = model.related(actor, thing, side).map((one) => shown(model, actor, one));
        const found = (answer: Answer): unknown => {
          const { result } = answer.body;
          return (Array.isArray(result) ? result : [result]).map((one: unknown) => flat(model, one)).sort(byId);
        };
        return { status: 200, differs: same(found, wanted.sort(byId)) };
      },
    };
  }

  #list(actor: Actor, type: string): Request {
    const { random, model } = this;
    const filters = Array.from({ length: random.below(3) }, () => this.#filter(type, true)).filter(
      (one) => one !== undefined,
    );
    const sortable = model
      .propertiesOf(type)
      .filter(({ kind, defaultValue }) => kind !== 'StringArray' && kind !== 'Boolean' && defaultValue === undefined);
    const key = sortable.length > 0 && random.chance(0.6) ? random.pick(sortable).name : undefined;
    const descending = random.chance(0.5);
    const page =
      key !== undefined && random.chance(0.5) ? { page: 1 + random.below(3), size: 1 + random.below(5) } : undefined;
    const query = [
      '_outputNestingDepth=1',
      ...filters.map((one) => one.query),
      ...(key === undefined ? [] : [`_sort=${key}&_sort=id&_order=${descending ? 'desc' : 'asc'}&_order=asc`]),
      ...(page === undefined ? [] : [`_page=${String(page.page)}&_pageSize=${String(page.size)}`]),
    ].join('&');
    return {
      actor,
      method: 'GET',
      path: `/${type}/${VIEW}?${query}`,
      signature: `${type}/_Fuzz`,
      run: (now) => {
        for (const one of filters) one.check?.(now, actor);
        const found = now.seen(actor, type).filter((thing) => filters.every((one) => one.matches(now, actor, thing)));
        found.sort((a, b) => (key === undefined ? 0 : compare(a, b, key, descending)) || byId(a, b));
        const paged = page === undefined ? found : found.slice((page.page - 1) * page.size, page.page * page.size);
        const wanted = { count: found.length, list: paged.map((thing) => shown(now, actor, thing)) };
        const read = (answer: Answer): unknown => {
          const list = (answer.body.result as unknown[]).map((one) => flat(now, one));
          return { count: answer.body.result_count, list: key === undefined ? list.sort(byId) : list };
        };
        return { status: 200, differs: same(read, wanted) };
      },
    };
  }

  /** `ofRelations`: also conditions on related objects. */
  #filter(type: string, ofRelations: boolean): Filter | undefined {
    const { random, model } = this;
    const sides = model.sidesOf(type);
    if (ofRelations && sides.length > 0 && random.chance(0.25)) {
      const side = random.pick(sides);
      if (random.chance(0.3)) {
        return { query: `${side.name}=`, matches: (now, actor, thing) => now.related(actor, thing, side).length === 0 };
      }
      const id = this.#bodies().idOf(side.related);
      return {
        query: `${side.name}=${id}`,
        check: (now, actor) => {
          const other = now.get(id);
          if (other === undefined || !now.isA(other.type, side.related) || !now.may(actor, 'read', other))
            throw new Refusal(422, 'object_not_found');
        },
        matches: (now, actor, thing) => {
          const related = now.related(actor, thing, side);
          return related.length === 1 && related[0]?.id === id;
        },
      };
    }
    const properties = model.propertiesOf(type).filter(({ defaultValue }) => defaultValue === undefined);
    const property = random.pick(properties);
    const { name, kind } = property;
    const value = randomValue(random, { name, kind });
    if (kind === 'Integer' && random.chance(0.5)) {
      const [from, to] = [random.below(6) - 3, random.below(6) - 1];
      return {
        query: `${name}=${encodeURIComponent(`[${String(from)} TO ${String(to)}]`)}`,
        matches: (_, __, thing) => {
          const own = thing.values.get(name);
          return typeof own === 'number' && own >= from && own <= to;
        },
      };
    }
    if (value === null || value === '') {
      const empties: readonly (Json | undefined)[] =
        kind === 'String' ? [undefined, ''] : kind === 'Boolean' ? [undefined, false] : [undefined];
      if (kind === 'StringArray' || kind === 'Enum') return undefined;
      return { query: `${name}=`, matches: (_, __, thing) => empties.includes(thing.values.get(name)) };
    }
    if (kind === 'Integer' && typeof value !== 'number') return undefined;
    if (Array.isArray(value) || kind === 'StringArray') {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      return {
        query: `${name}=${value.join(',')}`,
        matches: (_, __, thing) => JSON.stringify(thing.values.get(name)) === JSON.stringify(value),
      };
    }
    return {
      query: `${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`,
      matches: (_, __, thing) =>
        kind === 'Boolean' ? (thing.values.get(name) ?? false) === value : thing.values.get(name) === value,
    };
  }
}

interface Filter {
  readonly query: string;
  readonly matches: (model: Model, actor: Actor, thing: Thing) => boolean;
  /** Throws `Refusal` for one that is refused. */
  readonly check?: (model: Model, actor: Actor) => void;
}

function byId(a: { id?: unknown }, b: { id?: unknown }): number {
  return String(a.id) < String(b.id) ? -1 : String(a.id) > String(b.id) ? 1 : 0;
}

/** Ascending: nothing comes last; descending: first. Texts by code point. */
function compare(a: Thing, b: Thing, key: string, descending: boolean): number {
  const [x, y] = [a.values.get(key), b.values.get(key)];
  if (x === y) return 0;
  const order = x === undefined ? 1 : y === undefined ? -1 : (x ?? '') < (y ?? '') ? -1 : 1;
  return descending ? -order : order;
}

/** An object as a view shows it, with ids in the place of related objects. */
export function shown(model: Model, actor: Actor, thing: Thing): Record<string, Json> {
  const result: Record<string, Json> = { id: thing.id, type: thing.type, visibleToAuthenticatedUsers: thing.visible };
  for (const property of model.propertiesOf(thing.type))
    result[property.name] = shownValue(property, thing.values.get(property.name));
  for (const side of model.sidesOf(thing.type)) {
    const ids = model.related(actor, thing, side).map(({ id }) => id);
    result[side.name] = side.many ? ids.sort() : (ids[0] ?? null);
  }
  return sorted(result);
}

/** The same of an answer. */
export function flat(model: Model, item: unknown): Record<string, Json> {
  const result: Record<string, Json> = {};
  const sides = new Set(model.plan.relations.flatMap((one) => [one.out, one.in]));
  const idOf = (one: unknown): Json => (one as { id?: Json } | null)?.id ?? null;
  for (const [key, value] of Object.entries((item ?? {}) as Record<string, Json>)) {
    result[key] = !sides.has(key) ? value : Array.isArray(value) ? value.map(idOf).sort() : idOf(value);
  }
  return sorted(result);
}

function sorted(one: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function same(read: (answer: Answer) => unknown, wanted: unknown): (answer: Answer) => string | undefined {
  return (answer) => {
    const [found, expected] = [JSON.stringify(read(answer)), JSON.stringify(wanted)];
    return found === expected ? undefined : `found ${found}\nwanted ${expected}`;
  };
}
