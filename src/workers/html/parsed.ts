/** HTML that was read, as plain data. */
export type ParsedNode =
  | {
      readonly kind: 'element';
      /** In small letters. */
      readonly tag: string;
      readonly attributes: readonly (readonly [name: string, value: string])[];
      readonly children: ParsedNode[];
      /** Of elements of the service: the source of what is in it. */
      readonly source?: string;
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'comment'; readonly text: string }
  /** An SVG as a whole. */
  | { readonly kind: 'svg'; readonly source: string };

/** Elements of which the source of what is in them may be needed. */
export function keepsSource(tag: string): boolean {
  return tag === 'svc:template' || tag === 'svc:shared-template';
}

export function countOf(nodes: readonly ParsedNode[]): { readonly count: number; readonly depth: number } {
  let count = 0;
  let depth = 0;
  for (let level: readonly ParsedNode[] = nodes; level.length > 0; depth++) {
    count += level.length;
    level = level.flatMap((node) => (node.kind === 'element' ? node.children : []));
  }
  return { count, depth };
}
