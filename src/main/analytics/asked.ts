/** From the parameters of a request to what is asked (docs/interface/analytics.md 1). */
import type { NodeQuery, Predicate, SortKey } from '../graph/index.js';
import { onlyReadable, type ObjectAccess, type Schema } from '../schema/index.js';
import type { DigestedQuery } from '../../shared/digest.js';
import { parseIso } from '../../shared/dates/index.js';
import type { Correlation, Listing, Named, Operator, Question } from './digest/question.js';
import { AnalyticsError } from './errors.js';

/** The type of events. */
export const LOG_EVENT = 'LogEvent';

/** Parameters that are no names of expressions. */
const PARAMETERS = [
  'subject',
  'object',
  'action',
  'timestamp',
  'aggregate',
  'histogram',
  'filters',
  'multiplier',
  'correlate',
  '_format',
] as const;
type ParameterName = (typeof PARAMETERS)[number];

const NAMES: ReadonlySet<string> = new Set(PARAMETERS);
const OPERATORS: ReadonlySet<string> = new Set(['and', 'andSubject', 'andObject', 'not'] satisfies Operator[]);
/** Filters, and names of expressions. */
const MOST_EXPRESSIONS = 100;
/** Counts of other things have these names. */
const TAKEN: ReadonlySet<string> = new Set(['total', 'multiplier']);

export type Form = Listing['form'];

export interface AskedBy {
  readonly schema: Schema;
  readonly access: ObjectAccess;
  /** Name of the time zone that groups are of. */
  readonly zone: string;
  readonly indent: boolean;
  /** As `Accept` wants it; a parameter counts more. */
  readonly form: Form;
  /** Of a list; absent: all. */
  readonly page: { readonly offset: number; readonly limit: number };
  /** Of a list; empty: by time. */
  readonly sort: readonly SortKey[];
}

/** What is to be answered, and the queries whose events are needed for that: those that others are compared with come first. */
export interface Asked {
  readonly question: Question;
  readonly queries: readonly DigestedQuery<NodeQuery>[];
  /** The query of a list knows its page, so that it has to count by itself. */
  readonly counted?: NodeQuery;
}

/** Throws `AnalyticsError`. */
export function asked(parameters: readonly (readonly [string, string])[], by: AskedBy): Asked {
  const given = new Map<ParameterName, string>();
  const named: Named[] = [];
  for (const [name, value] of parameters) {
    if (given.has(name as ParameterName) || named.some((one) => one.name === name)) {
      throw new AnalyticsError(400, `The parameter ${name} was given twice.`);
    }
    if (NAMES.has(name)) given.set(name as ParameterName, value);
    else named.push({ name, source: value });
  }
  const aggregate = given.get('aggregate');
  if (aggregate === undefined) mustBeAggregated(given, named);
  const form = formOf(given.get('_format'), by.form);
  const { zone, indent } = by;
  const range = rangeOf(given.get('timestamp'));
  const selection = { filters: filtersOf(given.get('filters')), correlation: correlationOf(given.get('correlate')) };
  const whole = eventsBy(by, conditions(given, range));
  const references =
    selection.correlation === undefined
      ? []
      : [
          {
            query: eventsBy(by, [{ op: 'equals', key: 'action', value: selection.correlation.action }]),
            columns: true,
          },
        ];
  if (aggregate !== undefined) {
    if (form !== 'json')
      throw new AnalyticsError(400, 'Events have the forms csv and ndjson, counts of them have not.');
    checkNames(named);
    const histogram = given.get('histogram');
    const multiplier = given.get('multiplier');
    // Where nothing but time is a matter, times are all that is needed: an index has them.
    const byTime = [given.get('subject'), given.get('object'), given.get('action'), histogram, multiplier].every(
      (one) => one === undefined,
    );
    const onlyTimes = byTime && named.length + selection.filters.length + references.length === 0;
    return {
      question: {
        kind: 'aggregation',
        pattern: aggregate,
        zone,
        indent,
        ...range,
        ...selection,
        named,
        histogram: histogram === undefined ? undefined : histogramOf(histogram),
        multiplier,
      },
      queries: [...references, onlyTimes ? valuesOf(whole, 'timestamp') : { query: whole, columns: true }],
    };
  }
  if ([...given.keys()].every((name) => name === '_format') && form === 'json') {
    return {
      question: { kind: 'overview', zone, indent },
      queries: [valuesOf(whole, 'timestamp'), valuesOf(whole, 'action')],
    };
  }
  const ordered: NodeQuery = { ...whole, sort: by.sort.length > 0 ? by.sort : [{ key: 'timestamp' }] };
  const listing = { kind: 'listing', form, zone, indent, ...selection } as const;
  const { offset, limit } = by.page;
  if (references.length > 0 || selection.filters.length > 0) {
    return { question: { ...listing, offset, limit }, queries: [...references, { query: ordered }] };
  }
  // The graph knows pages.
  const cut = { ...ordered, offset, ...(Number.isFinite(limit) ? { limit } : {}) };
  return { question: { ...listing, offset: 0, limit: Infinity }, queries: [{ query: cut }], counted: whole };
}

/** What means nothing without groups is refused rather than left out. */
function mustBeAggregated(given: ReadonlyMap<ParameterName, string>, named: readonly Named[]): void {
  if (given.has('histogram')) {
    throw new AnalyticsError(400, 'To use the histogram function, please supply an aggregation pattern.');
  }
  if (given.has('multiplier')) {
    throw new AnalyticsError(400, 'To use a multiplier, please supply an aggregation pattern (aggregate).');
  }
  const [one] = named;
  if (one !== undefined) {
    throw new AnalyticsError(
      400,
      `Unknown parameter ${one.name}: it names an expression only beside an aggregation pattern (aggregate).`,
    );
  }
}

function checkNames(named: readonly Named[]): void {
  if (named.length > MOST_EXPRESSIONS) {
    throw new AnalyticsError(
      422,
      `At most ${String(MOST_EXPRESSIONS)} named expressions are counted, not ${String(named.length)}.`,
    );
  }
  const taken = named.find(({ name }) => TAKEN.has(name));
  if (taken !== undefined)
    throw new AnalyticsError(422, `An expression cannot be named ${taken.name}: another count has that name.`);
}

function formOf(text: string | undefined, otherwise: Form): Form {
  if (text === undefined) return otherwise;
  if (text === 'json' || text === 'csv' || text === 'ndjson') return text;
  throw new AnalyticsError(422, '_format is json, csv or ndjson.');
}

function eventsBy({ schema, access }: AskedBy, terms: readonly Predicate[]): NodeQuery {
  const types = schema.type(LOG_EVENT)?.concreteTypes ?? [];
  const query: NodeQuery = {
    kind: 'nodes',
    trait: LOG_EVENT,
    types,
    ...(terms.length === 0 ? {} : { where: { op: 'and', terms } }),
  };
  return onlyReadable(query, access);
}

/** The values of one indexed key; columns have them, too. */
function valuesOf(query: NodeQuery, only: string): DigestedQuery<NodeQuery> {
  return { query: { ...query, sort: [{ key: only }] }, only, columns: true };
}

interface Range {
  readonly from?: number;
  readonly to?: number;
}

function conditions(given: ReadonlyMap<ParameterName, string>, { from, to }: Range): readonly Predicate[] {
  const terms: Predicate[] = [];
  for (const key of ['subject', 'object', 'action'] as const) {
    const value = given.get(key);
    if (value !== undefined) terms.push({ op: 'equals', key, value });
  }
  if (from !== undefined && to !== undefined) terms.push({ op: 'range', key: 'timestamp', from, to });
  return terms;
}

function rangeOf(text: string | undefined): Range {
  if (text === undefined) return {};
  const found = /^\[(.*) TO (.*)\]$/s.exec(text);
  if (found === null) {
    throw new AnalyticsError(422, 'timestamp is a range: [2026-01-01T00:00:00+0000 TO 2026-02-01T00:00:00+0000].');
  }
  const [from, to] = [instantOf(found[1] ?? ''), instantOf(found[2] ?? '')];
  if (from > to) throw new AnalyticsError(422, 'The range of timestamp ends before it begins.');
  return { from, to };
}

function instantOf(text: string): number {
  // A plus that was not escaped has become a blank.
  const instant = parseIso(text.trim().replace(/ (\d\d:?\d\d)$/, '+$1'))?.instant;
  if (instant !== undefined) return instant;
  throw new AnalyticsError(
    422,
    `The range of timestamp has ends of the form yyyy-MM-dd'T'HH:mm:ssZ, such as 2026-01-01T00:00:00+0000, not ${JSON.stringify(text.slice(0, 100))}.`,
  );
}

function filtersOf(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const filters = text.split('::', MOST_EXPRESSIONS + 1);
  if (filters.length > MOST_EXPRESSIONS)
    throw new AnalyticsError(422, `At most ${String(MOST_EXPRESSIONS)} filters can be given.`);
  return filters;
}

/** `name:expression`; one without a name is the expression alone. */
function histogramOf(text: string): Named {
  const found = /^([\p{L}\p{N}_-]+):(.*)$/su.exec(text);
  return found === null ? { name: '', source: text } : { name: found[1] ?? '', source: found[2] ?? '' };
}

function correlationOf(text: string | undefined): Correlation | undefined {
  if (text === undefined) return undefined;
  const [action = '', operator = 'and', ...rest] = text.split('::');
  if (action === '') throw new AnalyticsError(422, 'correlate is ACTION::OPERATOR::PATTERN, and this has no action.');
  if (!OPERATORS.has(operator)) {
    throw new AnalyticsError(
      422,
      `correlate knows the operators ${[...OPERATORS].join(', ')}, not ${JSON.stringify(operator.slice(0, 100))}.`,
    );
  }
  return { action, operator: operator as Operator, pattern: rest.length === 0 ? undefined : rest.join('::') };
}
