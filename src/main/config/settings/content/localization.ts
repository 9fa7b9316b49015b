import { boolean, group, string } from '../../setting.js';

export const localizationSettings = group('application/Localization', {
  'application.localization.usefallbacklocale': boolean(
    false,
    'Look for texts in the fallback locale when there is none in that of the user',
  ),
  'application.localization.fallbacklocale': string('en_US', 'Locale of texts that others have no translation of', {
    pattern: /^[a-zA-Z]{2,3}(?:[-_][a-zA-Z0-9]{2,8})*$/,
    example: 'en_US',
  }),
  'application.localization.logmissing': boolean(false, 'Log texts that have no localization'),
});
