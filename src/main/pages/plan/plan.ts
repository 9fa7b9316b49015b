/** What a page is compiled to: texts, and functions for what depends on the request (docs/design/pages.md 4). */
import type { GraphNode } from '../../graph/index.js';
import type {
  Awaitable,
  forEach,
  PlacedScript,
  ScriptContext,
  ScriptValue,
  TemplateForm,
  TemplateScript,
  WrittenSeries,
} from '../../scripting/index.js';
import type { PageNode } from '../model/page-node.js';

/** For whom a plan is: nobody in particular, users, those who reach everything. */
export type Audience = 'nobody' | 'users' | 'all';

/** How a page is rendered whose scripts run; the others are sources (`modes/`). */
export type RenderMode = 'NONE' | 'CONTENT' | 'PREVIEW';

export type Constants = ReadonlyMap<string, ScriptValue>;

/** Names that scripts of a node have beside those of the page, as far as they are mentioned. */
export interface Names {
  readonly children: boolean;
  readonly parent: boolean;
  readonly link: boolean;
  readonly template: boolean;
}

/** Where in a page the result of a script goes. */
export interface Place {
  /** What becomes of printed text. */
  readonly escape: (text: string) => Awaitable<string>;
  /** What scripts render is written where they stand; else it is their value, as in the middle of a tag. */
  readonly writes: boolean;
  /** What stands here is run, or is no HTML: texts of users without administrators' rights are left out. */
  readonly isCode: boolean;
}

/** One page on its way to somebody, as plans see it. */
export interface Visit {
  /** Whose steps are counted. */
  readonly run: Parameters<typeof forEach>[1];
  /** Appends to the page. */
  readonly write: (text: string) => void;
  /** Resolves when more may be written; undefined: it may be. Throws when nobody waits for the page any more. */
  pressure(): Promise<void> | undefined;
  /** Writes what becomes of one script, at its place. */
  script(op: ScriptOp, constants: Constants): Awaitable<void>;
  /** Scripts of JavaScript that follow each other; see `WrittenSeries`. */
  series(count: number, at: (index: number) => PlacedScript): WrittenSeries;
  /** For the scripts of a node. */
  contextOf(node: PageNode, constants: Constants, names: Names): ScriptContext;
  /** Whether a node that its flags alone do not show is visible to whoever asks. */
  mayRead(id: string): boolean;
  /** `de_DE` */
  readonly locale: string;
  /** Scripts run at this place. */
  within<T>(place: Place, work: () => Awaitable<T>): Awaitable<T>;
  /** Objects that a node is repeated for. */
  itemsOf(node: PageNode, dataKey: string, constants: Constants): Awaitable<readonly ScriptValue[]>;
  /** A part of a page is asked for by itself: what a page loads later is there at once. */
  readonly isPart: boolean;
  /** What the request says of a parameter; of several values the first. */
  parameter(name: string): string | undefined;
  /** All of them. */
  parameters(): Iterable<readonly [name: string, value: string]>;
  /** Id of the object that the page is about. */
  details(constants: Constants): string | undefined;
  /** Ids of what repeaters around a place stand for, by their data keys. */
  state(constants: Constants): Readonly<Record<string, string>>;
  /** Something in the page did not work; it goes on. */
  warn(error: unknown, node: PageNode): void;
}

/** Where in a page something is rendered. */
export interface Scope {
  readonly visit: Visit;
  readonly constants: Constants;
}

/** A script in a text, which fails by itself, and says so in the log. */
export interface ScriptOp {
  readonly script: TemplateScript;
  readonly node: PageNode;
  readonly names: Names;
  readonly place: Place;
  readonly form: TemplateForm;
}

export type Op = string | ScriptOp | ((scope: Scope) => Awaitable<void>);

export interface Plan {
  readonly ops: readonly Op[];
  /** Nodes of which it is to be asked whether users may read them. */
  readonly asks: readonly GraphNode[];
  /** The whole, where nothing depends on the request. */
  readonly fixed: string | undefined;
}

/** Neighbouring texts become one. */
export function merged(ops: readonly Op[]): Op[] {
  const all: Op[] = [];
  let text = '';
  for (const op of ops) {
    if (typeof op === 'string') {
      text += op;
      continue;
    }
    if (text !== '') all.push(text);
    text = '';
    all.push(op);
  }
  if (text !== '') all.push(text);
  return all;
}
