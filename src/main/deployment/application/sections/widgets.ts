/** Widgets, `widgets.json`. */
import { flagAt } from '../../tree/principal-names.js';
import { listSection, textOf } from '../list-section.js';

export const widgets = listSection({
  title: 'Widgets',
  file: 'widgets.json',
  type: 'Widget',
  keys: [
    'id',
    'name',
    'source',
    'description',
    'isWidget',
    'treePath',
    'configuration',
    'isPageTemplate',
    'selectors',
  ].concat('visibleToAuthenticatedUsers', 'visibleToPublicUsers'),
  sortedBy: ({ name }) => [textOf(name)],
  style: 'pretty',
  input: ({ isWidget, ...values }, place) => {
    flagAt(isWidget, `${place}.isWidget`);
    return values;
  },
});
