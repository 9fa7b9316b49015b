/** Translations, `localizations.json`. */
import { flagAt } from '../../tree/principal-names.js';
import { listSection, textOf } from '../list-section.js';

export const localizations = listSection({
  title: 'Localizations',
  file: 'localizations.json',
  type: 'Localization',
  keys: ['id', 'name', 'localizedName', 'domain', 'locale', 'visibleToAuthenticatedUsers', 'visibleToPublicUsers'],
  sortedBy: ({ name, domain, locale }) => [textOf(name), textOf(domain), textOf(locale)],
  style: 'lines',
  order: ['id'],
  // An import says no.
  more: (_exporting, nodes) =>
    Promise.resolve(nodes.map(({ properties }) => ({ imported: properties['imported'] === true }))),
  // It says what somebody has brought by hand.
  input: (values, place) => {
    flagAt(values['imported'], `${place}.imported`);
    return { ...values, imported: false };
  },
});
