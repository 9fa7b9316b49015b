/** Notion properties of older versions (docs/interface/operations.md 9.5; contract, Startup migration mode). A report alone. */

export interface NotionFinding {
  /** Column of the format, from 1. */
  readonly column: number;
  readonly message: string;
}

/**
 * What is to be looked at in the format of a Notion or IdNotion property (docs/interface/schema.md 5): keys that have `Property` in their name are
 * left from a time when formats named classes. Undefined: nothing.
 */
export function notionFinding(format: string): NotionFinding | undefined {
  const at = format.indexOf('Property');
  if (at === -1) return undefined;
  const begin = format.lastIndexOf(',', at) + 1;
  const end = format.indexOf(',', at);
  const part = format.slice(begin, end === -1 ? undefined : end).trim();
  return {
    column: at + 1,
    message: `'${part.slice(0, 100)}' looks like the name of a class: the format is the name of a relation property, then keys of its objects`,
  };
}
