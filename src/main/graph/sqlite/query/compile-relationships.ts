/** Relationship queries to SQL: entered by an end, an id or the types, in the order of linking unless sorted. */
import { narrowed } from '../../access.js';
import type { Predicate, RelationshipQuery, SortKey } from '../../query.js';
import { farFits } from './access-sql.js';
import { conjuncts } from './candidates.js';
import type { Catalog } from './catalog.js';
import { indexOfEnd } from '../connection/parts.js';
import { type Branch, countRows, type Cut, keysAmong, orderedKeys, type Plan } from './plan.js';
import { condition, type Scope, value } from './predicates.js';
import { alive, FALSE_SQL, list, raw, type Sql, sql } from '../connection/sql.js';
import { keyOf, keysOf, REL_COLUMNS } from '../connection/records.js';

const R = raw('rel r0');
const PK = raw('r0.pk');
const MAX_BRANCHES = 24;
/** Degrees of two ends are compared in steps up to this. */
const MAX_PROBE = 16_384;

class RelationshipCompiler implements Plan {
  readonly byKey: boolean;
  readonly worst: number;
  readonly eager: boolean;
  readonly few = false;
  readonly filtered = true;
  readonly dependsOn = undefined;
  readonly keyset: boolean;
  readonly sort: readonly SortKey[];
  readonly #types: readonly number[] | undefined;
  readonly #conjuncts: readonly Predicate[];
  readonly #branches: readonly Branch[];
  readonly #scope: Scope;

  constructor(
    private readonly query: RelationshipQuery,
    private readonly catalog: Catalog,
  ) {
    this.sort = query.sort ?? [];
    this.byKey = this.sort.length === 0;
    this.#conjuncts = conjuncts(query.where);
    this.#scope = { kind: 'relationships', alias: 'r0', depth: 0, catalog };
    if (query.types !== undefined) {
      const ids = new Set<number>();
      for (const type of query.types) {
        const id = catalog.idOf(type);
        if (id !== undefined && catalog.relationships(id) > 0) ids.add(id);
      }
      this.#types = [...ids];
    }
    const total = (this.#types ?? [-1]).reduce((sum, type) => sum + catalog.relationships(type), 0);
    const entered = this.#byEnd() ?? this.#byId();
    this.#branches = entered ?? this.#byType();
    const filtered = this.#filters().length > 0;
    this.worst = entered === undefined && (filtered || !this.byKey) ? total : 0;
    this.eager = !this.byKey;
    this.keyset = this.byKey && entered === undefined;
  }

  strict(): Plan {
    return this;
  }

  rows(cut: Cut): Sql {
    if (cut.among !== undefined) {
      const where = [sql`r0.pk IN (${keysAmong(cut.among)})`, ...this.#everything()];
      return rowsOf(orderedKeys([{ from: R, where, pk: PK, sort: [] }], [], { offset: 0, limit: -1 }));
    }
    return rowsOf(this.keys(cut));
  }

  keys(cut: Cut): Sql {
    const { after, slice } = cut;
    if (slice !== undefined) {
      const where = [sql`r0.pk>${slice.above}`, sql`r0.pk<=${slice.upTo}`, ...this.#everything()];
      return orderedKeys([{ from: R, where, pk: PK, sort: this.#sortValues() }], this.sort, cut);
    }
    const branches =
      after === undefined
        ? this.#branches
        : this.#branches.map((branch) => ({ ...branch, where: [...branch.where, sql`r0.pk>${after}`] }));
    return orderedKeys(branches, this.sort, cut);
  }

  count(limit: number): Sql {
    return countRows(this.#branches, limit);
  }

  #sortValues(): Sql[] {
    return this.sort.map((key) => value(this.#scope, key.key));
  }

  /** Conditions other than the types and the given ends. */
  #filters(): Sql[] {
    const { sourceTypes, targetTypes } = this.query;
    const filters = [...this.#endFits('source', sourceTypes), ...this.#endFits('target', targetTypes)];
    for (const term of this.#conjuncts) filters.push(condition(this.#scope, term));
    return filters;
  }

  /** Types of an end, and that it is allowed. */
  #endFits(end: 'source' | 'target', types: readonly string[] | undefined): Sql[] {
    const access = narrowed(this.query.access, types);
    if (types === undefined && access === undefined) return [];
    const asked = { ...(types === undefined ? {} : { types }), ...(access === undefined ? {} : { access }) };
    return [farFits(`r0.${end}`, end, asked, this.catalog)];
  }

  #typeFilter(column: string): Sql[] {
    if (this.#types === undefined) return [];
    return [this.#types.length === 0 ? FALSE_SQL : sql`${raw(column)} IN (${list(this.#types)})`];
  }

  /** All conditions of the query, none of which picks an index. */
  #everything(): Sql[] {
    const { sourceId, targetId } = this.query;
    const where = this.#typeFilter('+r0.type');
    if (sourceId !== undefined) where.push(sql`+r0.source IN (${keyOf(sourceId)})`);
    if (targetId !== undefined) where.push(sql`+r0.target IN (${keyOf(targetId)})`);
    where.push(...this.#filters());
    return where;
  }

  #byEnd(): Branch[] | undefined {
    const sourceId = this.query.sourceId ?? this.#fixed('sourceId');
    const targetId = this.query.targetId ?? this.#fixed('targetId');
    if (sourceId === undefined && targetId === undefined) return this.#byEnds('source') ?? this.#byEnds('target');
    const end =
      targetId === undefined || (sourceId !== undefined && this.#sourceIsSmaller(sourceId, targetId))
        ? 'source'
        : 'target';
    const id = (end === 'source' ? sourceId : targetId) ?? '';
    const where = [sql`r0.${raw(end)}=(${keyOf(id)})`, alive(PK), ...this.#everything()];
    return [
      {
        from: sql`rel r0 INDEXED BY ${indexOfEnd(end)}`,
        where,
        pk: PK,
        sort: this.#sortValues(),
      },
    ];
  }

  /** Those of any of several nodes. */
  #byEnds(end: 'source' | 'target'): Branch[] | undefined {
    const key = `${end}Id`;
    const term = this.#conjuncts.find((one) => one.op === 'in' && one.key === key);
    if (term?.op !== 'in') return undefined;
    const ids = term.values.filter((id) => typeof id === 'string');
    const from = sql`rel r0 INDEXED BY ${indexOfEnd(end)}`;
    const where = [sql`r0.${raw(end)} IN (${keysOf(ids)})`, alive(PK)];
    return [{ from, where: [...where, ...this.#everything()], pk: PK, sort: this.#sortValues() }];
  }

  #fixed(key: string): string | undefined {
    for (const term of this.#conjuncts) {
      if (term.op === 'equals' && term.key === key && typeof term.value === 'string') return term.value;
    }
    return undefined;
  }

  /** Looks at both ends alternately until the smaller is known: one of them may have 100,000 relationships. */
  #sourceIsSmaller(sourceId: string, targetId: string): boolean {
    const out = sql`SELECT 1 FROM rel WHERE source=(${keyOf(sourceId)})`;
    const into = sql`SELECT 1 FROM rel WHERE target=(${keyOf(targetId)})`;
    for (let limit = 64; limit <= MAX_PROBE; limit *= 16) {
      if (this.catalog.probe(out, limit) < limit) return true;
      if (this.catalog.probe(into, limit) < limit) return false;
    }
    return true;
  }

  #byId(): Branch[] | undefined {
    for (const term of this.#conjuncts) {
      if ((term.op !== 'equals' && term.op !== 'in') || term.key !== 'id') continue;
      const where = [...this.#typeFilter('+r0.type'), ...this.#filters()];
      return [{ from: R, where, pk: PK, sort: this.#sortValues() }];
    }
    return undefined;
  }

  #byType(): Branch[] {
    const filters = [alive(PK), ...this.#filters()];
    const sort = this.#sortValues();
    const types = this.#types;
    if (types !== undefined && types.length > 0 && types.length <= MAX_BRANCHES && this.byKey) {
      return types.map((type) => ({ from: R, where: [sql`r0.type=${type}`, ...filters], pk: PK, sort }));
    }
    const many = types !== undefined && types.length > MAX_BRANCHES;
    return [{ from: R, where: [...this.#typeFilter(many ? '+r0.type' : 'r0.type'), ...filters], pk: PK, sort }];
  }
}

function rowsOf(keys: Sql): Sql {
  return sql`SELECT ${raw(REL_COLUMNS)} FROM (${keys}) q CROSS JOIN rel r ON r.pk=q.pk CROSS JOIN node a ON a.pk=r.source CROSS JOIN node b ON b.pk=r.target`;
}

export function compileRelationships(query: RelationshipQuery, catalog: Catalog): Plan {
  return new RelationshipCompiler(query, catalog);
}
