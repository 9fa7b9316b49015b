/** What can be put into a page: an element, a text, a shared component, a widget; as text, for dragging. */
import { call, type Entity } from '../../server/rest.js';
import { addNode, moveNode, typeOfTag, type PageNode } from './nodes.js';

export type PaletteEntry =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'text'; readonly type: 'Content' | 'Template' | 'Comment' }
  | { readonly kind: 'component'; readonly id: string }
  | { readonly kind: 'widget'; readonly id: string };

/** The kind of data that is dragged. */
export const PALETTE = 'application/x-svc-palette';

export const writeEntry = (entry: PaletteEntry): string => JSON.stringify(entry);

/** An entry that was dragged; undefined: it is none of ours. */
export function readEntry(text: string): PaletteEntry | undefined {
  try {
    const entry = JSON.parse(text) as PaletteEntry;
    return ['tag', 'text', 'component', 'widget'].includes(entry.kind) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Elements that show nothing of themselves get a text at once. */
const WITH_TEXT = /^(h[1-6]|p|a|button|label|legend|li|th|td|dt|dd|option|strong|em|span|title|figcaption)$/;

/** Makes an element in another node, before its child `before`; with a first text where it would be empty. */
export async function addElement(
  into: PageNode,
  tag: string,
  types: ReadonlySet<string>,
  text: string,
  before?: string,
): Promise<string> {
  const type = typeOfTag(tag, types);
  const id = await addNode(into, { type, tag }, before);
  if (WITH_TEXT.test(tag) && text !== '') await addNode({ ...into, id, type }, { type: 'Content', content: text });
  return id;
}

/** Puts a node for a shared component into another node (1.7). */
export async function addComponent(into: PageNode, component: string, before?: string): Promise<string> {
  const made = await call<Entity>(`DOMNode/${into.id}/insertComponent`, {
    component,
    ...(before === undefined ? {} : { refChild: before }),
  });
  return made?.id ?? '';
}

/** Puts the source of a widget with these values into a node (9); the ids of what has come. */
export async function addWidget(
  into: PageNode,
  widget: string,
  values: Readonly<Record<string, string>>,
  before?: string,
): Promise<readonly string[]> {
  const made = await call<Entity | readonly Entity[]>(`DOMNode/${into.id}/insertWidget`, { widget, values });
  const nodes = made === undefined ? [] : Array.isArray(made) ? (made as readonly Entity[]) : [made as Entity];
  if (before !== undefined) for (const { id } of nodes) await moveNode(id, into.id, before);
  return nodes.map(({ id }) => id);
}
