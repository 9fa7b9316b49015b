import { group, password, string } from '../../setting.js';

/** Services that translate() of scripts asks (docs/interface/script-runtime.md 8.10). */
export const translationSettings = group('misc/Translation', {
  'translation.google.apikey': password('', 'Key for Google Cloud Translation'),
  'translation.google.url': string(
    'https://translation.googleapis.com/language/translate/v2',
    'URL of Google Cloud Translation (Basic, v2)',
  ),
  'translation.deepl.apikey': password('', 'Key for DeepL'),
  'translation.deepl.url': string(
    'https://api.deepl.com/v2/translate',
    'URL of DeepL; accounts without charge have https://api-free.deepl.com/v2/translate',
  ),
});
