/** Widgets of this server, and what their configuration asks for (docs/interface/pages.md 9). */
import { list, read, type Entity } from '../../server/rest.js';

export interface Widget extends Entity {
  readonly source?: string | null;
  readonly description?: string | null;
  readonly configuration?: string | null;
  readonly treePath?: string | null;
  readonly isPageTemplate?: boolean;
}

/** Widgets by a part of their name, in the order of their paths. */
export async function findWidgets(name: string, count: number): Promise<readonly Widget[]> {
  const { result } = await list<Widget>(
    'Widget',
    { ...(name === '' ? {} : { name, _inexact: 1 }), _sort: ['treePath', 'name'], _pageSize: count, _page: 1 },
    { properties: ['id', 'type', 'name', 'treePath', 'isPageTemplate'] },
  );
  return result;
}

export const readWidget = (id: string): Promise<Widget> => read<Widget>(`Widget/${id}/ui`);

/** A value that is asked for before a widget is put into a page. */
export interface WidgetField {
  readonly key: string;
  readonly title: string;
  readonly kind: 'input' | 'textarea' | 'select';
  readonly placeholder: string;
  readonly help: string;
  readonly first: string;
  readonly options: readonly (readonly [string, string])[];
}

interface Configured {
  readonly title?: string;
  readonly type?: string;
  readonly placeholder?: string;
  readonly help?: string;
  readonly default?: unknown;
  readonly position?: number;
  readonly options?: readonly unknown[] | Readonly<Record<string, unknown>>;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** The keys `[key]` and `[key:one,two]` in a source. */
export function keysOf(source: string): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, readonly string[]>();
  for (const [, key = '', options = ''] of source.matchAll(/\[([A-Za-z_]\w*)(?::([^[\]]*))?\]/g))
    if (!keys.has(key)) keys.set(key, options === '' ? [] : options.split(',').map((one) => one.trim()));
  return keys;
}

/** The fields in their order: those of the configuration, and of the source what it leaves open. */
export function fieldsOf(widget: Widget): readonly WidgetField[] {
  let configuration: Readonly<Record<string, Configured | boolean>> = {};
  try {
    configuration = JSON.parse(widget.configuration ?? '{}') as typeof configuration;
  } catch {
    // A configuration that is no JSON asks for nothing; the source still does.
  }
  const configured = Object.entries(configuration)
    .filter((entry): entry is [string, Configured] => typeof entry[1] === 'object')
    .sort(([, a], [, b]) => (a.position ?? 0) - (b.position ?? 0));
  const known = new Set(configured.map(([key]) => key));
  const open = [...keysOf(widget.source ?? '')].filter(([key]) => !known.has(key));
  return [
    ...configured.map(([key, field]) => fieldOf(key, field)),
    ...open.map(([key, options]) => fieldOf(key, options.length > 0 ? { type: 'select', options } : {})),
  ];
}

function fieldOf(key: string, field: Configured): WidgetField {
  const { title, type, placeholder, help, options } = field;
  const pairs = Array.isArray(options)
    ? options.map((option) => [textOf(option), textOf(option)] as const)
    : Object.entries(options ?? {}).map(([value, label]) => [value, textOf(label)] as const);
  return {
    key,
    title: title ?? key,
    kind: type === 'textarea' ? 'textarea' : type === 'select' && pairs.length > 0 ? 'select' : 'input',
    placeholder: placeholder ?? '',
    help: help ?? '',
    first: textOf(field.default) || (type === 'select' ? (pairs[0]?.[0] ?? '') : ''),
    options: pairs,
  };
}
