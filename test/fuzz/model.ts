/** What the contract says a graph of objects is after requests: plain maps, no index, no cache. */
import { ENUM, traitsOf, type Plan, type PlannedProperty, type PlannedRelation } from './plan.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Input = Readonly<Record<string, Json>>;
export type Right = 'read' | 'write' | 'delete' | 'accessControl';

export interface Actor {
  readonly id: string;
  readonly isAdmin: boolean;
}

export interface Thing {
  readonly id: string;
  readonly type: string;
  readonly values: Map<string, Json>;
  visible: boolean;
  readonly owner: string;
  /** Rights by user. */
  readonly grants: Map<string, ReadonlySet<Right>>;
}

export interface Link {
  readonly relation: string;
  readonly source: string;
  readonly target: string;
}

/** The request is refused with this status, and nothing of it happens. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    why: string,
  ) {
    super(`${String(status)}: ${why}`);
  }
}

/** A relation as one of its ends sees it. */
export interface Side {
  readonly name: string;
  readonly relation: PlannedRelation;
  readonly out: boolean;
  /** Type of the objects at the other end. */
  readonly related: string;
  readonly many: boolean;
  readonly creates: boolean;
}

const ALL: ReadonlySet<Right> = new Set<Right>(['read', 'write', 'delete', 'accessControl']);

export class Model {
  readonly things = new Map<string, Thing>();
  readonly links = new Set<Link>();
  /** Types that are not in the schema at the moment: their objects are there for nobody. */
  readonly absent = new Set<string>();
  readonly #touched = new Set<string>();

  constructor(readonly plan: Plan) {}

  clone(): Model {
    const copy = new Model(this.plan);
    for (const [id, thing] of this.things)
      copy.things.set(id, { ...thing, values: new Map(thing.values), grants: new Map(thing.grants) });
    for (const link of this.links) copy.links.add(link);
    for (const name of this.absent) copy.absent.add(name);
    return copy;
  }

  isA(type: string, trait: string): boolean {
    return traitsOf(this.plan, type).includes(trait);
  }

  propertiesOf(type: string): PlannedProperty[] {
    const names = traitsOf(this.plan, type);
    return this.plan.types.filter(({ name }) => names.includes(name)).flatMap(({ properties }) => properties);
  }

  sidesOf(type: string): Side[] {
    return this.plan.relations.flatMap((relation): Side[] => {
      if (this.absent.has(relation.source) || this.absent.has(relation.target)) return [];
      const sides: Side[] = [];
      if (this.isA(type, relation.source)) {
        const { out: name, target: related, targetOne } = relation;
        sides.push({ name, relation, out: true, related, many: !targetOne, creates: (relation.creates & 1) !== 0 });
      }
      if (this.isA(type, relation.target)) {
        const { in: name, source: related, sourceOne } = relation;
        sides.push({ name, relation, out: false, related, many: !sourceOne, creates: (relation.creates & 2) !== 0 });
      }
      return sides;
    });
  }

  /** An object that is there. */
  get(id: string): Thing | undefined {
    const thing = this.things.get(id);
    return thing === undefined || this.absent.has(thing.type) ? undefined : thing;
  }

  may(actor: Actor, right: Right, thing: Thing): boolean {
    if (actor.isAdmin || thing.owner === actor.id) return true;
    if (right === 'read' && thing.visible) return true;
    return thing.grants.get(actor.id)?.has(right) === true;
  }

  /** All of a type that somebody may read. */
  seen(actor: Actor, type: string): Thing[] {
    return [...this.things.values()].filter(
      (one) => !this.absent.has(one.type) && this.isA(one.type, type) && this.may(actor, 'read', one),
    );
  }

  /** What a relation shows somebody. */
  related(actor: Actor, thing: Thing, side: Side): Thing[] {
    return this.linksOf(thing.id, side)
      .map((link) => this.get(side.out ? link.target : link.source))
      .filter((one) => one !== undefined)
      .filter((one) => this.may(actor, 'read', one));
  }

  linksOf(id: string, { relation, out }: Pick<Side, 'relation' | 'out'>): Link[] {
    return [...this.links].filter((one) => one.relation === relation.name && (out ? one.source : one.target) === id);
  }

  /** Runs `work` as one transaction. Throws `Refusal`, and nothing has happened. */
  transaction<T>(work: () => T): T {
    const before = this.clone();
    this.#touched.clear();
    try {
      const value = work();
      this.#validate();
      return value;
    } catch (error) {
      this.things.clear();
      for (const [id, thing] of before.things) this.things.set(id, thing);
      this.links.clear();
      for (const link of before.links) this.links.add(link);
      throw error;
    }
  }

  /** An object that a request names. */
  find(actor: Actor, type: string, id: string): Thing {
    const thing = this.get(id);
    if (thing === undefined || !this.isA(thing.type, type) || !this.may(actor, 'read', thing))
      throw new Refusal(404, `no ${type} ${id}`);
    return thing;
  }

  create(actor: Actor, type: string, input: Input): Thing {
    const { id } = input;
    if (typeof id !== 'string') throw new Error('the model needs ids');
    if (this.things.has(id)) throw new Refusal(422, 'id already_taken');
    const grants = new Map([[actor.id, ALL]]);
    const thing: Thing = { id, type, values: new Map(), visible: false, owner: actor.id, grants };
    this.#assign(actor, thing, input, true);
    this.things.set(id, thing);
    this.#touched.add(id);
    this.#relate(actor, thing, input);
    return thing;
  }

  update(actor: Actor, thing: Thing, input: Input): void {
    const keys = Object.keys(input);
    // Who may say who else has rights on it needs no more for that alone.
    const shares = keys.length > 0 && keys.every((key) => key === 'visibleToAuthenticatedUsers');
    if (!this.may(actor, 'write', thing) && !(shares && this.may(actor, 'accessControl', thing)))
      throw new Refusal(403, 'no write');
    this.#assign(actor, thing, input, false);
    this.#touched.add(thing.id);
    this.#relate(actor, thing, input);
  }

  /** Deletes an object with what its relations take along. */
  delete(actor: Actor, root: Thing): void {
    const queue = [root];
    const seen = new Set([root.id]);
    for (let thing = queue.pop(); thing !== undefined; thing = queue.pop()) {
      if (!this.may(actor, 'delete', thing)) throw new Refusal(403, 'no delete');
      for (const side of this.sidesOf(thing.type)) {
        if ((side.relation.cascade & (side.out ? 1 : 2)) === 0) continue;
        for (const link of this.linksOf(thing.id, side)) {
          const other = this.get(side.out ? link.target : link.source);
          if (other === undefined || seen.has(other.id)) continue;
          seen.add(other.id);
          queue.push(other);
        }
      }
      this.things.delete(thing.id);
      this.#touched.delete(thing.id);
      for (const link of this.links) if (link.source === thing.id || link.target === thing.id) this.links.delete(link);
    }
  }

  /** Gives a user rights on an object, which is looked at as one that is changed. */
  grant(userId: string, thing: Thing, rights: ReadonlySet<Right>): void {
    thing.grants.set(userId, rights);
    this.#touched.add(thing.id);
  }

  /** Makes a relationship by its own resource, or a sub-collection. */
  link(actor: Actor, relation: PlannedRelation, source: Thing, target: Thing): void {
    this.#mayLink(actor, source, target);
    if (!relation.sourceOne && !relation.targetOne && this.linked(relation, source.id, target.id) !== undefined)
      throw new Refusal(422, 'duplicate_relationship');
    this.#makeRoom(actor, relation, [source], [target]);
    this.#add(relation, source, target);
  }

  unlink(actor: Actor, link: Link): void {
    const [source, target] = [this.get(link.source), this.get(link.target)];
    if (source === undefined || target === undefined) throw new Refusal(404, 'no relationship');
    this.#mayLink(actor, source, target);
    this.#remove(link);
  }

  linked(relation: PlannedRelation, source: string, target: string): Link | undefined {
    return [...this.links].find(
      (one) => one.relation === relation.name && one.source === source && one.target === target,
    );
  }

  /** Replaces what a relation shows. */
  setRelated(actor: Actor, thing: Thing, side: Side, others: readonly Thing[]): void {
    const shown = this.linksOf(thing.id, side).filter((link) => {
      const other = this.get(side.out ? link.target : link.source);
      return other !== undefined && this.may(actor, 'read', other);
    });
    const idOf = (link: Link): string => (side.out ? link.target : link.source);
    const wanted = new Set(others.map(({ id }) => id));
    const there = new Set(shown.map(idOf));
    const fresh = others.filter(({ id }) => !there.has(id));
    for (const other of fresh) this.#mayLink(actor, ...ends(side, thing, other));
    const superfluous = shown.filter((link) => !wanted.has(idOf(link)));
    for (const link of superfluous) {
      const other = this.get(idOf(link));
      if (other !== undefined) this.#mayLink(actor, ...ends(side, thing, other));
    }
    for (const link of superfluous) this.#remove(link);
    if (fresh.length > 0) {
      if (side.out) this.#makeRoom(actor, side.relation, [thing], fresh);
      else this.#makeRoom(actor, side.relation, fresh, [thing]);
    }
    const added = new Set<string>();
    for (const other of fresh) {
      if (added.has(other.id)) continue;
      added.add(other.id);
      this.#add(side.relation, ...ends(side, thing, other));
    }
    this.#touched.add(thing.id);
  }

  /** The object that a value of a relation names: found, changed or created (docs/interface/rest.md 7.3). */
  resolve(actor: Actor, side: Side, value: Json): Thing {
    if (typeof value === 'string') return this.#named(actor, side, value);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Refusal(422, 'no object');
    const input = value as Input;
    const { id, ...own } = input;
    if (typeof id === 'string') {
      const thing = this.get(id);
      if (thing !== undefined && this.may(actor, 'read', thing)) {
        if (!this.isA(thing.type, side.related)) throw new Refusal(422, 'must_be_of_type');
        // What says nothing new needs no right to write.
        const says = Object.keys(own).length > 0 && (this.may(actor, 'write', thing) || this.#saysNew(thing, own));
        if (says) this.update(actor, thing, own);
        return thing;
      }
      if (!side.creates) throw new Refusal(422, 'object_not_found');
      return this.create(actor, side.related, input);
    }
    throw new Error('the model needs ids');
  }

  #named(actor: Actor, side: Side, id: string): Thing {
    const thing = this.get(id);
    if (thing === undefined || !this.may(actor, 'read', thing)) throw new Refusal(422, 'object_not_found');
    if (!this.isA(thing.type, side.related)) throw new Refusal(422, 'must_be_of_type');
    return thing;
  }

  #saysNew(thing: Thing, input: Input): boolean {
    const properties = this.propertiesOf(thing.type);
    return Object.entries(input).some(([key, value]) => {
      if (key === 'visibleToAuthenticatedUsers') return value !== thing.visible;
      const property = properties.find(({ name }) => name === key);
      if (property === undefined) return true;
      try {
        const now = shownValue(property, thing.values.get(key));
        return JSON.stringify(shownValue(property, converted(property, value))) !== JSON.stringify(now);
      } catch (error) {
        if (error instanceof Refusal) return true;
        throw error;
      }
    });
  }

  #assign(actor: Actor, thing: Thing, input: Input, isNew: boolean): void {
    const properties = this.propertiesOf(thing.type);
    const values = new Map<string, Json>();
    for (const [key, value] of Object.entries(input)) {
      if (key === 'visibleToAuthenticatedUsers') {
        if (value !== thing.visible && !isNew && !this.may(actor, 'accessControl', thing))
          throw new Refusal(403, 'no accessControl');
        thing.visible = value === true;
        continue;
      }
      const property = properties.find(({ name }) => name === key);
      if (property !== undefined) values.set(key, converted(property, value));
    }
    for (const { name, kind, defaultValue } of properties) {
      if (isNew && !values.has(name) && defaultValue !== undefined)
        values.set(name, kind === 'Boolean' ? defaultValue === 'true' : defaultValue);
    }
    for (const [name, value] of values) {
      if (value === null) thing.values.delete(name);
      else thing.values.set(name, value);
    }
  }

  #relate(actor: Actor, thing: Thing, input: Input): void {
    const sides = this.sidesOf(thing.type);
    for (const [key, value] of Object.entries(input)) {
      const side = sides.find(({ name }) => name === key);
      if (side === undefined) continue;
      if (value !== null && Array.isArray(value) !== side.many) throw new Refusal(422, 'must_be_of_type');
      const list: readonly Json[] = value === null ? [] : Array.isArray(value) ? (value as Json[]) : [value];
      const others = list.map((one) => this.resolve(actor, side, one));
      this.setRelated(actor, thing, side, others);
    }
  }

  /** Read on both ends, and write on one of them. */
  #mayLink(actor: Actor, source: Thing, target: Thing): void {
    const [one, other] = [source, target];
    const reads = this.may(actor, 'read', one) && this.may(actor, 'read', other);
    const writes = this.may(actor, 'write', one) || this.may(actor, 'write', other);
    if (!reads || !writes) throw new Refusal(403, 'no right on the relationship');
  }

  /** Whoever takes the single place of another needs write on the object that has the place, or on the one that loses it. */
  #makeRoom(actor: Actor, relation: PlannedRelation, sources: readonly Thing[], targets: readonly Thing[]): void {
    const drop = (things: readonly Thing[], out: boolean): void => {
      const links = new Set(things.flatMap(({ id }) => this.linksOf(id, { relation, out })));
      for (const link of links) {
        const ends = [link.source, link.target].map((id) => this.things.get(id)).filter((one) => one !== undefined);
        if (!ends.some((end) => this.may(actor, 'write', end))) throw new Refusal(403, 'the place is taken');
      }
      for (const link of links) this.#remove(link);
    };
    if (relation.sourceOne) drop(targets, false);
    if (relation.targetOne) drop(sources, true);
  }

  #add(relation: PlannedRelation, source: Thing, target: Thing): void {
    this.links.add({ relation: relation.name, source: source.id, target: target.id });
    this.#touched.add(source.id).add(target.id);
  }

  #remove(link: Link): void {
    this.links.delete(link);
    this.#touched.add(link.source).add(link.target);
  }

  #validate(): void {
    for (const id of this.#touched) {
      const thing = this.get(id);
      if (thing === undefined) continue;
      for (const property of this.propertiesOf(thing.type)) {
        const value = thing.values.get(property.name);
        if (property.notNull === true && value === undefined) throw new Refusal(422, 'must_not_be_empty');
        if (property.unique === true && value !== undefined && this.#taken(thing, [property.name]))
          throw new Refusal(422, 'already_taken');
      }
      for (const trait of traitsOf(this.plan, thing.type)) {
        const own = this.plan.types.find(({ name }) => name === trait)?.properties ?? [];
        const keys = own.filter(({ compound }) => compound === true).map(({ name }) => name);
        if (keys.length > 0 && keys.every((key) => thing.values.has(key)) && this.#taken(thing, keys))
          throw new Refusal(422, 'already_taken');
      }
    }
  }

  #taken(thing: Thing, keys: readonly string[]): boolean {
    return [...this.things.values()].some(
      (one) =>
        one.id !== thing.id &&
        !this.absent.has(one.type) &&
        keys.every((key) => one.values.get(key) === thing.values.get(key)),
    );
  }
}

function ends({ out }: Side, thing: Thing, other: Thing): [source: Thing, target: Thing] {
  return out ? [thing, other] : [other, thing];
}

/** A value as answers show it. */
export function shownValue({ kind, defaultValue }: PlannedProperty, value: Json | undefined): Json {
  if (kind === 'Boolean') return value ?? defaultValue === 'true';
  if (kind === 'StringArray') return value ?? [];
  return value ?? defaultValue ?? null;
}

function converted({ kind, name }: PlannedProperty, value: Json): Json {
  switch (kind) {
    case 'Integer':
      if (value === null || value === '') return null;
      if (typeof value === 'number') return Math.trunc(value);
      throw new Refusal(422, `${name} must_be_numerical`);
    case 'Boolean':
      return value === null ? null : value === true;
    case 'Enum':
      if (value === null || value === '') return null;
      if (typeof value === 'string' && ENUM.includes(value)) return value;
      throw new Refusal(422, `${name} must_be_one_of`);
    case 'StringArray':
      if (value === null) return null;
      if (Array.isArray(value)) return value as Json;
      throw new Refusal(422, `${name} expects an array`);
    case 'String':
      return typeof value === 'number' ? String(value) : value;
  }
}
