/** Functions that make nodes of pages of HTML (docs/interface/pages.md 8.2). */
import { ScriptError } from '../../language/errors.js';
import { textOf } from '../../language/text.js';

import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { ofObjects } from '../../run/function/pairs.js';
import type { PageFunctions, ScriptContext } from '../../run/run.js';

/** The functions, with what is known of pages when they are called. */
export function pagesOf({ run }: ScriptContext): PageFunctions {
  const { current } = run.parts.pages;
  if (current === undefined) throw new ScriptError(503, 'The service is starting; try again.');
  return current;
}

const MARKED = 'What users who are no administrators insert runs no scripts.';

/** Both names are in the interface, and mean the same. */
function inserting(name: 'importHtml' | 'insertHtml'): ScriptFunction {
  return ofObjects(
    {
      name,
      signature: `${name}(parent, html)`,
      meaning: `Makes nodes of HTML and puts them behind the last child of an element; answers the new nodes. They are seen by whoever sees the element. ${MARKED}`,
      example: `${name}(this, '<p>Hello</p>')`,
      min: 2,
      max: 2,
    },
    ['DOMNode'],
    ([parent], [html = null], context) =>
      parent === undefined || html === null
        ? null
        : pagesOf(context).insertHtml(parent, textOf(html, context), undefined, context),
  );
}

export const markupFunctions: FunctionCategory = {
  title: 'Pages',
  functions: [
    inserting('importHtml'),
    inserting('insertHtml'),
    ofObjects(
      {
        name: 'replaceDomChild',
        signature: 'replaceDomChild(parent, child, html)',
        meaning: `Puts the nodes of HTML in the place of a child, which goes to the recycle bin; answers the new nodes. ${MARKED}`,
        example: "replaceDomChild(this, first(this.children), '<p>Hello</p>')",
        min: 3,
        max: 3,
      },
      ['DOMNode', 'DOMNode'],
      ([parent, child], [html = null], context) =>
        parent === undefined || child === undefined || html === null
          ? null
          : pagesOf(context).insertHtml(parent, textOf(html, context), child, context),
    ),
    ofObjects(
      {
        name: 'removeDomChild',
        signature: 'removeDomChild(parent, child)',
        meaning: 'Moves a child to the recycle bin, with all that is below it.',
        example: 'removeDomChild(this, first(this.children))',
        min: 2,
        max: 2,
      },
      ['DOMNode', 'DOMNode'],
      async ([parent, child], _rest, context) => {
        if (parent === undefined || child === undefined) return null;
        await pagesOf(context).removeChild(parent, child, context);
        return null;
      },
    ),
  ],
};
