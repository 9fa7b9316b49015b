/** A node of a page's tree as plain data, with all that its HTML is made of (docs/interface/pages.md 1). */
import type { GraphNode } from '../../graph/index.js';
import type { NodeActions } from './action-mapping.js';
import { isMarked, textIn } from './stored-values.js';

export type NodeKind = 'page' | 'element' | 'template' | 'content' | 'comment';

export interface PageNode {
  readonly kind: NodeKind;
  readonly node: GraphNode;
  readonly parent: PageNode | undefined;
  /** In their order. */
  readonly children: readonly PageNode[];
  /** Somebody else than an administrator has put it where it is, or has moved it there. */
  readonly isPlacedByOthers: boolean;
  /** The shared component that it stands for. */
  readonly component: PageNode | undefined;
  /** Such a user has said that it does. */
  readonly isReferenceOfOthers: boolean;
  /** The page or file that it points to. */
  readonly link: GraphNode | undefined;
  /** Such a user has said so. */
  readonly isLinkOfOthers: boolean;
  /** It has a flow that would say what it is repeated for. */
  readonly hasFlow?: boolean;
  /** Undefined: it has nothing to do with event actions. */
  readonly actions: NodeActions | undefined;
}

/** A text of a node; empty when it has none. */
export function textOf({ node }: PageNode, key: string): string {
  return textIn(node, key);
}

/** Scripts in what somebody else than an administrator wrote are not run: they would run with the rights of whoever looks at it. */
export function isSandboxed({ node }: PageNode): boolean {
  return isMarked(node);
}

/** Its own children, or those of the component that it stands for. */
export function shownChildren({ children, component }: PageNode): readonly PageNode[] {
  return children.length > 0 ? children : (component?.children ?? []);
}
