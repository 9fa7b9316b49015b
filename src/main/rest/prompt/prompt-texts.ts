/**
 * Answers that are given at once: one object, or a page of a list, whose view shows nothing but their own values. Most requests are of this kind. What
 * does not depend on the single request is made once; who asks, what he may use and which objects he may read is decided before, as for all.
 */
import { type PreparedList, PreparedLists } from './prepared-lists.js';
import { onlyReadable, newlineOf, OwnTexts, type Schema, type Type, typeQuery } from '../../schema/index.js';
import { arrayLimit } from '../answer/envelope.js';
import { closingOf, openingOf, type Totals } from '../answer/frame.js';
import type { PromptRequest, RestSettings } from '../context.js';
import { pageOf, sortKeys, window, type Page } from '../query/query.js';
import { tellState } from '../states.js';
import { Parameters, type ReservedName } from '../request/parameters.js';

/** What a page is asked for by, without more. */
const OF_PAGES: ReadonlySet<ReservedName> = new Set(['page', 'pageSize', 'sort', 'order']);
/** Objects of a page, at most. */
const MOST = 256;

/** All that holds for one schema and one state of the settings. */
class Prepared {
  readonly #texts = new Map<string, OwnTexts>();
  readonly lists = new PreparedLists();

  constructor(
    readonly schema: Schema,
    readonly settings: RestSettings,
  ) {}

  texts(view: string): OwnTexts {
    let texts = this.#texts.get(view);
    if (texts === undefined) {
      const { reductionDepth, indent } = this.settings;
      // Views of routes are those of the schema.
      this.#texts.set(view, (texts = new OwnTexts(view, reductionDepth, { indent, serializeNulls: true })));
    }
    return texts;
  }
}

let prepared: Prepared | undefined;

function preparedFor(schema: Schema, settings: RestSettings): Prepared {
  if (prepared?.schema !== schema || prepared.settings !== settings) prepared = new Prepared(schema, settings);
  return prepared;
}

/** Whether a request says nothing of how it wants its answer. */
function isUsual({ exchange }: PromptRequest['entered']): boolean {
  if (exchange.header('range') !== '') return false;
  const accept = exchange.header('accept');
  return accept === '' || accept === '*/*' || accept === 'application/json';
}

/** The text that answers a GET of one node of a type (absent: of any); undefined: it takes longer, or is refused. */
export function objectText(request: PromptRequest, type: Type | undefined, id: string): string | undefined {
  const { entered, services, settings, startedAt } = request;
  const { schema, access, actor, target } = entered;
  if (entered.exchange.query !== '' || type?.kind === 'relationship' || !isUsual(entered)) return undefined;
  return services.graph.now?.((reads) => {
    const node = reads.node(id);
    if (node === undefined || node === null) return undefined;
    const current = schema.type(node.type);
    if (current === undefined || (type !== undefined && !current.hasTrait(type.name))) return undefined;
    const rule = access.rule('read');
    if (rule !== undefined && reads.permits(node, rule) !== true) return undefined;
    const queryTime = performance.now() - startedAt;
    const text = preparedFor(schema, settings).texts(target.view).of(node, current, actor, 1);
    if (text === undefined) return undefined;
    tellState(entered.exchange, node);
    return framed(request, text, { queryTime, page: undefined, totals: ONE, isCut: false });
  });
}

/** One object, of which nobody had to count anything. */
const ONE: Totals = { count: { count: 1, exact: true }, countTime: 0 };

/** The text that answers a GET of a page of the nodes of a type; undefined: it takes longer, or is refused. */
export function pageText(request: PromptRequest, type: Type): string | undefined {
  const { entered, services, settings, startedAt } = request;
  const { schema, access, actor, target } = entered;
  if (type.kind !== 'node' || !isUsual(entered)) return undefined;
  const own = preparedFor(schema, settings);
  const list = listOf(own, request, type);
  if (list === null) return undefined;
  return services.graph.now?.((reads) => {
    const rule = access.rule('read');
    const query =
      rule === undefined ? list.query : own.lists.queryOf(list, rule, () => onlyReadable(list.query, entered.access));
    const nodes = reads.page(query);
    if (nodes === undefined) return undefined;
    const queryTime = performance.now() - startedAt;
    const texts = own.texts(target.view);
    const start = newlineOf(settings.indent, 2);
    let text = '[';
    for (const node of nodes) {
      const one = texts.of(node, schema.typeOf(node), actor, 2);
      if (one === undefined) return undefined;
      text += (text === '[' ? '' : ',') + start + one;
    }
    text += nodes.length === 0 ? ']' : `${newlineOf(settings.indent, 1)}]`;
    const counting = performance.now();
    const known = list.offset + nodes.length;
    const isLast = nodes.length < list.limit && (nodes.length > 0 || list.offset === 0);
    const count = isLast ? { count: known, exact: known <= list.most } : reads.count(query, list.most);
    if (count === undefined) return undefined;
    const totals = { count, countTime: performance.now() - counting };
    return framed(request, text, { queryTime, page: list.page, totals, isCut: nodes.length === settings.softLimit });
  });
}

interface Facts {
  readonly queryTime: number;
  readonly page: Page | undefined;
  readonly totals: Totals;
  readonly isCut: boolean;
}

function framed(
  { settings, startedAt }: PromptRequest,
  text: string,
  { queryTime, page, totals, isCut }: Facts,
): string {
  const { indent, softLimit } = settings;
  const serializationTime = Math.max(0, performance.now() - startedAt - queryTime - totals.countTime);
  const closing = { page, queryTime, softLimit: isCut ? softLimit : undefined, totals, serializationTime };
  return openingOf(indent) + text + closingOf(indent, closing);
}

/** Null: it is none that can be answered at once. */
function listOf(own: Prepared, request: PromptRequest, type: Type): PreparedList | null {
  const { exchange, actor } = request.entered;
  const { query } = exchange;
  if (query === '') return null;
  // Who may sort by what depends on who asks.
  const key = `${actor.isAdmin ? 'a' : ''}${type.name}?${query}`;
  let list = own.lists.get(key);
  if (list === undefined) own.lists.set(key, (list = prepareList(request, type)));
  return list;
}

function prepareList({ entered, settings }: PromptRequest, type: Type): PreparedList | null {
  const { query } = entered.exchange;
  const parameters = new Parameters(query, settings.legacyParameters);
  if (!parameters.hasOnly(OF_PAGES)) return null;
  const asked = { parameters, settings, actor: entered.actor };
  const page = pageOf(parameters);
  const { offset, limit } = window(asked, page);
  const most = arrayLimit(asked);
  if (page === undefined || limit === undefined || limit === 0 || limit > MOST || !Number.isFinite(most)) return null;
  const found = typeQuery(type, undefined, sortKeys(asked, type));
  if (found.kind !== 'nodes') return null;
  return { page, query: { ...found, offset, limit }, offset, limit, most };
}
