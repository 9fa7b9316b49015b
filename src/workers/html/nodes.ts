/** What HTML is read as, before it becomes objects of pages (`tree.ts`). */
import type { JsonObject } from '../../shared/json/index.js';

/** A node as it is to become an object; `source` is markup that stays text. */
export type HtmlNode =
  | HtmlElement
  | { readonly kind: 'text' | 'comment' | 'source'; readonly text: string; readonly marks?: readonly Mark[] };

/** An instruction of exports, `@svc:name(value)`. */
export type Mark = readonly [name: string, value: string];

export interface HtmlElement {
  readonly kind: 'element';
  readonly tag: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly children: readonly HtmlNode[];
  /** Of exports: the line in which it begins, from 1. */
  readonly line?: number;
  /** Fields that whoever rewrites the tree sets besides what attributes say. */
  readonly fields?: JsonObject;
  readonly marks?: readonly Mark[];
  /** Of elements of exports (`svc:template`): what is in them, as it is written. */
  readonly source?: string;
}
