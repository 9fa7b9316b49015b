/** Ids that the files of an application give their nodes: each is there once (docs/interface/deployment.md 3.6). */
import type { HtmlElement, HtmlNode } from '../read-html.js';
import { idOf } from './values.js';

export interface SaidId {
  readonly id: string;
  readonly tag: string;
  /** For messages: line and element. */
  readonly where: string;
}

/** Where an element stands in its file. */
export function whereIs({ tag, line }: HtmlElement): string {
  return line === undefined ? `<${tag}>` : `line ${String(line)}, <${tag}>`;
}

/** Of all elements in a list, at any depth. */
export function* idsIn(nodes: readonly HtmlNode[]): Generator<SaidId> {
  for (const node of nodes) {
    if (node.kind !== 'element') continue;
    const id = idOf(node);
    if (id !== undefined) yield { id, tag: node.tag, where: whereIs(node) };
    yield* idsIn(node.children);
  }
}

/**
 * The same nodes without what they only show: of an element that stands for a shared component, older exports write the children of that component. `of` says
 * the ids in a component.
 */
export function withoutShown(
  nodes: readonly HtmlNode[],
  of: (key: string) => ReadonlySet<string> | undefined,
): readonly HtmlNode[] {
  return nodes.map((node) => {
    if (node.kind !== 'element' || node.children.length === 0) return node;
    const key = node.attributes.find(([name]) => name === 'src')?.[1] ?? '';
    const own = idOf(node);
    const shown = node.tag.startsWith('svc:') && !(own !== undefined && key.endsWith(own)) ? of(key) : undefined;
    if (shown !== undefined) {
      const ids = [...idsIn(node.children)];
      if (ids.length > 0 && ids.every(({ id }) => shown.has(id))) return { ...node, children: [] };
    }
    return { ...node, children: withoutShown(node.children, of) };
  });
}
