/** URL routes of pages (docs/interface/pages.md 2.5). */
import type { GraphNode, GraphRelationship } from '../../graph/index.js';
import type { ScriptValue } from '../../scripting/index.js';
import { isMarked } from '../model/stored-values.js';

interface Parameter {
  readonly name: string;
  readonly valueType: string | undefined;
  readonly defaultValue: string | null;
  readonly isOptional: boolean | undefined;
}

/** A segment of a route: a text, or a pattern with the names of its placeholders. */
type Segment =
  | { readonly text: string }
  | { readonly before: string; readonly parts: readonly { readonly name: string; readonly after: string }[] };

export interface Route {
  readonly id: string;
  readonly pageId: string;
  readonly segments: readonly Segment[];
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** Smaller ones are tried first. */
  readonly rank: number;
  /** Somebody else than an administrator has written it, or given it to its page. */
  readonly isOfOthers: boolean;
}

const PLACEHOLDER = /\{([a-z][a-zA-Z0-9]+)\}/g;
/** Segments and placeholders of one route. */
const MOST = 100;

/** A node and the link that leads to it. */
export interface Linked {
  readonly node: GraphNode;
  readonly relationship: GraphRelationship;
}

function isOfOthers({ node, relationship }: Linked): boolean {
  return isMarked(node) || isMarked(relationship);
}

/** Undefined: it has no route, or one too long. Parameters of others than administrators count for nothing. */
export function makeRoute(linked: Linked, parameters: readonly Linked[], pageId: string): Route | undefined {
  const path = linked.node;
  const { name, priority } = path.properties;
  if (typeof name !== 'string' || name.trim() === '') return undefined;
  const segments = name.replace(/^\//, '').split('/').map(segmentOf);
  const placeholders = segments.reduce((sum, one) => sum + ('parts' in one ? one.parts.length : 0), 0);
  if (segments.length > MOST || placeholders > MOST) return undefined;
  return {
    id: path.id,
    pageId,
    segments,
    parameters: new Map(
      parameters
        .filter((one) => !isOfOthers(one))
        .map((one) => parameterOf(one.node))
        .map((one) => [one.name, one]),
    ),
    isOfOthers: isOfOthers(linked),
    rank: typeof priority === 'number' ? priority : Number.MAX_SAFE_INTEGER,
  };
}

function segmentOf(text: string): Segment {
  const found = [...text.matchAll(PLACEHOLDER)];
  const [first] = found;
  if (first === undefined) return { text };
  return {
    before: text.slice(0, first.index),
    parts: found.map((one, i) => ({
      name: one[1] ?? '',
      after: text.slice(one.index + one[0].length, found[i + 1]?.index ?? text.length),
    })),
  };
}

function parameterOf({ properties }: GraphNode): Parameter {
  const { name, valueType, defaultValue, isOptional } = properties;
  return {
    name: typeof name === 'string' ? name : '',
    valueType: typeof valueType === 'string' && valueType !== '' ? valueType : undefined,
    defaultValue: typeof defaultValue === 'string' ? defaultValue : null,
    isOptional: typeof isOptional === 'boolean' ? isOptional : undefined,
  };
}

/**
 * What the placeholders of a route stand for in a path; undefined: it is another path. `segments`: of the path, decoded, empty ones too.
 * A placeholder whose parameter says that it is not optional (`isOptional` false) needs a value, or a default.
 */
function matchRoute(route: Route, segments: readonly string[]): ReadonlyMap<string, ScriptValue> | undefined {
  const values = new Map<string, ScriptValue>();
  for (const [i, segment] of route.segments.entries()) {
    const sent = segments[i];
    if ('text' in segment) {
      if ((sent ?? '') !== segment.text) return undefined;
      continue;
    }
    const found = sent === undefined || sent === '' ? undefined : placeholdersIn(segment, sent);
    for (const { name } of segment.parts) {
      const raw = found?.get(name);
      const parameter = route.parameters.get(name);
      if (parameter?.isOptional === false && raw === undefined && parameter.defaultValue === null) return undefined;
      values.set(name, parameter === undefined ? (raw ?? null) : converted(raw, parameter));
    }
  }
  return values;
}

/**
 * The texts of the placeholders, each as long as it can be, the first before the second; undefined: the pattern is not in the text. By
 * searching from the end, not by a regular expression, whose time would grow without limit.
 */
function placeholdersIn(
  { before, parts }: Extract<Segment, { parts: unknown }>,
  text: string,
): ReadonlyMap<string, string> | undefined {
  const begin = before === '' ? 0 : text.indexOf(before);
  if (begin < 0) return undefined;
  const from = begin + before.length;
  const values = new Map<string, string>();
  let end = text.length;
  for (let i = parts.length - 1; i >= 0; i--) {
    const { name = '', after = '' } = parts[i] ?? {};
    // What follows the last placeholder may stand anywhere behind it; what is between two, as far behind as it goes.
    const at = after === '' ? end : text.lastIndexOf(after, end - after.length);
    if (at < from || (after !== '' && end - after.length < from)) return undefined;
    const previous = i === 0 ? { at: from, length: 0 } : lastBefore(text, parts[i - 1]?.after ?? '', from, at);
    if (previous === undefined) return undefined;
    values.set(name, text.slice(previous.at + previous.length, at));
    end = i === 0 ? at : previous.at + previous.length;
  }
  return values;
}

function lastBefore(
  text: string,
  separator: string,
  from: number,
  end: number,
): { readonly at: number; readonly length: number } | undefined {
  if (separator === '') return { at: end, length: 0 };
  if (end - separator.length < from) return undefined;
  const at = text.lastIndexOf(separator, end - separator.length);
  return at < from ? undefined : { at, length: separator.length };
}

/** Routes that a path fits, in their order, with what their placeholders stand for in it. `path`: decoded, empty segments too. */
export function routesTo(
  routes: readonly Route[],
  path: string,
): { readonly route: Route; readonly values: ReadonlyMap<string, ScriptValue> }[] {
  const segments = path.replace(/^\//, '').split('/');
  return routes.flatMap((route) => {
    const values = matchRoute(route, segments);
    return values === undefined ? [] : [{ route, values }];
  });
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** A value of the parameter's type; what cannot be one is the default, as a text. */
function converted(raw: string | undefined, { valueType, defaultValue }: Parameter): ScriptValue {
  if (raw === undefined) return defaultValue;
  switch (valueType) {
    case undefined:
      return null;
    case 'Integer':
    case 'Long': {
      const value = numberOf(raw);
      return value === undefined ? defaultValue : BigInt(Math.trunc(value));
    }
    case 'Double':
    case 'Float':
      return numberOf(raw) ?? defaultValue;
    case 'Boolean':
      return raw.toLowerCase() === 'true';
    case 'Date':
      return ISO.test(raw) && !Number.isNaN(Date.parse(raw)) ? new Date(raw) : defaultValue;
    default:
      return raw;
  }
}

function numberOf(text: string): number | undefined {
  const value = text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}
