/**
 * What the result of a transaction depends on, each with the number of the last unit that the read saw for certain. A later unit
 * is a conflict when it may have given the read another answer: rather one too many than one too few.
 */
import { narrowed, type AccessRule, type Step } from '../access.js';
import type { NodeQuery, Predicate, Query } from '../query.js';
import type { GraphEntity, GraphNode } from '../types.js';
import { carriesRights, type Effects } from './effects.js';
import { type ListRead, ListReads } from './list-reads.js';

/** Lists that are remembered; a transaction with more, or with more to be compared with each change, depends on all entities. */
const MOST_LISTS = 200_000;
const MOST_WIDE = 5000;
/** Entities of a list that are remembered. */
const MOST_FOUND = 1000;

interface RuleRead {
  readonly rule: AccessRule;
  readonly principals: ReadonlySet<string>;
  readonly since: number;
}

/** All relationships of a node in a direction, by the name of no type. */
const ANY = '';

function linkName(id: string, relType: string, direction: Step['direction']): string {
  return `${direction} ${relType} ${id}`;
}

/** Keeps the first number: what was read then has to hold, too. */
function add(reads: Map<string, number>, name: string, since: number): void {
  if (!reads.has(name)) reads.set(name, since);
}

export class ReadSet {
  readonly #nodes = new Map<string, number>();
  /** Nodes of which only counts that they are there, and of which type. */
  readonly #presence = new Map<string, number>();
  readonly #relationships = new Map<string, number>();
  readonly #links = new Map<string, number>();
  readonly #rights = new Map<string, number>();
  readonly #rules = new Map<AccessRule, RuleRead>();
  readonly #lists = new ListReads();
  /** Relationships of these types: conditions on objects that are linked. */
  readonly #walked = new Map<string, number>();
  #everything = Infinity;

  node(id: string, since: number): void {
    add(this.#nodes, id, since);
  }

  presence(id: string, since: number): void {
    add(this.#presence, id, since);
  }

  relationship(id: string, since: number): void {
    add(this.#relationships, id, since);
  }

  links(id: string, relType: string, direction: Step['direction'], since: number): void {
    add(this.#links, linkName(id, relType, direction), since);
  }

  allLinks(id: string, direction: Step['direction'], since: number): void {
    add(this.#links, linkName(id, ANY, direction), since);
  }

  /** Any change at all is a conflict. */
  everything(since: number): void {
    this.#everything = Math.min(this.#everything, since);
  }

  /** Whether a rule allows these nodes, beside what they say themselves. */
  rights(nodes: readonly GraphNode[], rule: AccessRule, since: number): void {
    if (nodes.length === 0) return;
    const types = [...new Set(nodes.map((node) => node.type))];
    const needed = narrowed(rule, types);
    if (needed === undefined) return;
    if (needed.propagation !== undefined) this.rule(rule, since);
    else for (const { id } of nodes) add(this.#rights, id, since);
  }

  rule(rule: AccessRule | undefined, since: number): void {
    if (rule === undefined || this.#rules.has(rule)) return;
    this.#rules.set(rule, { rule, principals: new Set(rule.principals), since });
  }

  /** To be called before it is read; the answer is to be called with what was found. */
  list(query: Query, since: number, counts = false): (found: readonly GraphEntity[]) => void {
    if (this.#lists.wide >= MOST_WIDE || this.#lists.size >= MOST_LISTS) {
      this.everything(since);
      return () => undefined;
    }
    const read: ListRead = { query, counts, since };
    this.#lists.add(read);
    this.rule(narrowed(query.access, query.kind === 'nodes' ? query.types : undefined), since);
    if (query.where !== undefined) this.#condition(query.where, since);
    if (query.kind === 'nodes' && query.from !== undefined) {
      const { id, step } = query.from;
      this.links(id, step.relType, step.direction, since);
      this.rule(step.access, since);
    }
    return (found) => {
      if (found.length <= MOST_FOUND) read.found = new Set(found.map((one) => one.id));
    };
  }

  #condition(predicate: Predicate, since: number): void {
    if (predicate.op === 'and' || predicate.op === 'or') {
      for (const term of predicate.terms) this.#condition(term, since);
    } else if (predicate.op === 'not') this.#condition(predicate.term, since);
    else if ('step' in predicate) {
      add(this.#walked, predicate.step.relType, since);
      this.rule(predicate.step.access, since);
      // Of the objects at the other end any property may be asked for, at any distance.
      if (predicate.op === 'relatedSome') this.#lists.add(farEnds(predicate.step, since));
      if (predicate.op === 'relatedSome') this.#condition(predicate.where, since);
    }
  }

  /** What was read before counts as read at this number: whoever reads on knows that it may have changed. */
  refresh(since: number): void {
    for (const reads of [this.#nodes, this.#presence, this.#relationships, this.#links, this.#rights, this.#walked]) {
      for (const name of reads.keys()) reads.set(name, since);
    }
    for (const [rule, read] of this.#rules) this.#rules.set(rule, { ...read, since });
    this.#lists.refresh(since);
    if (this.#everything !== Infinity) this.#everything = since;
  }

  /** Whether the unit with this number may have changed anything that was read before it. */
  concerns(effects: Effects | 'everything', number: number): boolean {
    if (this.#everything < number) return true;
    if (effects === 'everything') return this.#hasReadBefore(number);
    const older = (reads: Map<string, number>, name: string): boolean => (reads.get(name) ?? Infinity) < number;
    if (effects.retypes && this.#looksAtTypes) return true;
    for (const { before, after } of effects.nodes) {
      const id = (before ?? after)?.id ?? '';
      if (older(this.#nodes, id)) return true;
      if ((before === undefined || after === undefined) && older(this.#presence, id)) return true;
    }
    for (const effect of effects.relationships) {
      const one = effect.before ?? effect.after;
      if (one === undefined) continue;
      if (older(this.#relationships, one.id) || older(this.#walked, one.relType)) return true;
      if (older(this.#links, linkName(one.sourceId, one.relType, 'out'))) return true;
      if (older(this.#links, linkName(one.targetId, one.relType, 'in'))) return true;
      if (older(this.#links, linkName(one.sourceId, ANY, 'out'))) return true;
      if (older(this.#links, linkName(one.targetId, ANY, 'in'))) return true;
      if (carriesRights(one.relType) && older(this.#rights, one.targetId)) return true;
    }
    for (const read of this.#rules.values()) if (read.since < number && ruleConcerned(read, effects)) return true;
    return this.#lists.concerns(effects, number);
  }

  #hasReadBefore(number: number): boolean {
    const maps = [this.#nodes, this.#presence, this.#relationships, this.#links, this.#rights, this.#walked];
    for (const reads of maps) for (const since of reads.values()) if (since < number) return true;
    for (const { since } of this.#rules.values()) if (since < number) return true;
    return this.#lists.readBefore(number);
  }

  get #looksAtTypes(): boolean {
    return this.#lists.size + this.#links.size + this.#rules.size + this.#rights.size + this.#presence.size > 0;
  }
}

function farEnds(step: Step, since: number): ListRead {
  const query: NodeQuery = { kind: 'nodes', ...(step.types === undefined ? {} : { types: step.types }) };
  return { query, counts: false, since };
}

/** Whether a rule may allow other nodes that were there before; new ones come with whatever list they are in. */
function ruleConcerned({ rule, principals }: RuleRead, effects: Effects): boolean {
  const { keys, propagation } = rule;
  const flagged = effects.nodes.some(
    ({ before, after, keys: differ }) =>
      before !== undefined &&
      after !== undefined &&
      keys.some((key) => differ?.has(key) ?? (before.properties[key] === true) !== (after.properties[key] === true)),
  );
  if (flagged) return true;
  return effects.relationships.some(({ before, after }) => {
    const one = before ?? after;
    if (one === undefined) return false;
    if (carriesRights(one.relType) && principals.has(one.sourceId) && effects.stays(one.targetId)) return true;
    return (
      propagation?.steps.some((step) => step.relType === one.relType) === true &&
      (effects.stays(one.sourceId) || effects.stays(one.targetId))
    );
  });
}
