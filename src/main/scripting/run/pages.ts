/** What functions of scripts do with pages; the room of pages, which lies above this one, implements it. */
import type { Awaitable, ScriptValue } from '../language/values.js';
import type { ScriptContext } from './run.js';

/** What is rendered once for each of `items`, each of them known as `dataKey` (docs/interface/pages.md 3.4). */
export interface Repeated {
  readonly items: ScriptValue;
  readonly dataKey: string;
}

/** While a page is being rendered they write into it, and answer null; elsewhere they answer the HTML. */
export interface PageFunctions {
  /** Nodes, or one of them. */
  render(nodes: ScriptValue, context: ScriptContext): Awaitable<ScriptValue>;
  /** The one element of a name, or a file. */
  include(name: string, repeated: Repeated | undefined, context: ScriptContext): Awaitable<ScriptValue>;
  /** The one child of a name of the template that calls it. */
  includeChild(name: string, repeated: Repeated | undefined, context: ScriptContext): Awaitable<ScriptValue>;
  /** Another object is `current` from now on. Throws `ScriptError` outside of pages. */
  setDetails(value: ScriptValue, context: ScriptContext): void;
}

/** Where scripting finds it, once it is there. */
export interface PagesPlace {
  current: PageFunctions | undefined;
}
