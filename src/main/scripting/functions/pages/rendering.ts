/** Functions that put parts of pages into others (docs/interface/pages.md 3.4). */
import { EDIT_MODES, type EditMode } from '../../../files/index.js';
import { ScriptError } from '../../language/errors.js';
import { ScriptEntity, type ScriptValue } from '../../language/values.js';
import type { FunctionCategory } from '../../run/function/function.js';
import type { Repeated } from '../../run/run.js';
import { pagesOf } from './markup.js';

function repeated(items: ScriptValue | undefined, dataKey: ScriptValue | undefined): Repeated | undefined {
  if (items === undefined) return undefined;
  if (typeof dataKey !== 'string' || dataKey === '') throw new ScriptError(422, 'A collection needs a data key.');
  return { items, dataKey };
}

function nameIn(value: ScriptValue | undefined, what: string): string {
  if (typeof value !== 'string' || value === '') throw new ScriptError(422, `${what}() needs a name.`);
  return value;
}

function modeOf(value: ScriptValue): EditMode | undefined {
  const index = typeof value === 'bigint' ? Number(value) : value;
  return typeof index === 'number' ? EDIT_MODES[index] : undefined;
}

export const renderingFunctions: FunctionCategory = {
  title: 'Pages',
  functions: [
    {
      name: 'render',
      signature: 'render(nodes)',
      meaning:
        'Renders nodes of a page, or one. While a page is made they become a part of it, and the answer is null; elsewhere it is the HTML.',
      example: 'render(children)',
      min: 1,
      max: 1,
      run: ([nodes = null], context) => pagesOf(context).render(nodes, context),
    },
    {
      name: 'include',
      signature: 'include(name [, collection, dataKey])',
      meaning:
        'Renders the element of this name, or links the file of this name. With a collection once for each of its elements, which are known by the data key.',
      example: "include('Footer')",
      min: 1,
      max: 3,
      run: ([name, items, key], context) =>
        pagesOf(context).include(nameIn(name, 'include'), repeated(items, key), context),
    },
    {
      name: 'includeChild',
      signature: 'includeChild(name [, collection, dataKey])',
      meaning: 'The same for a direct child of the template that calls it.',
      example: "includeChild('Sidebar')",
      min: 1,
      max: 3,
      run: ([name, items, key], context) =>
        pagesOf(context).includeChild(nameIn(name, 'includeChild'), repeated(items, key), context),
    },
    {
      name: 'getSource',
      signature: 'getSource(element, editMode)',
      meaning:
        'The HTML of an element. The mode is that of the parameter `_edit` of pages: 0 as visitors get it, 1 and 3 its source, 2 with marks for those ' +
        'who edit it, 4 as in exports, 5 with marks of what others have rendered into it. Users who are no administrators get 0.',
      example: 'getSource(this, 3)',
      min: 2,
      max: 2,
      run: ([element = null, mode = null], context) => {
        const asked = modeOf(mode);
        if (asked === undefined) throw new ScriptError(422, 'getSource() needs an edit mode from 0 to 5.');
        if (!(element instanceof ScriptEntity) || !context.run.entities.typeOf(element).hasTrait('DOMNode')) {
          throw new ScriptError(422, 'getSource() needs a node of a page.');
        }
        return pagesOf(context).source(element, asked, context);
      },
    },
    {
      name: 'setDetailsObject',
      signature: 'setDetailsObject(object)',
      meaning: 'The object is `current` for the rest of the page.',
      example: "setDetailsObject(first(find('City', 'name', 'Kyiv')))",
      min: 1,
      max: 1,
      run: ([value = null], context) => {
        pagesOf(context).setDetails(value, context);
        return null;
      },
    },
  ],
};
