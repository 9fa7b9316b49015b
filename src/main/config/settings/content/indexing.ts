import { boolean, group, integer, string } from '../../setting.js';

export const indexingSettings = group('application/Indexing', {
  'application.filesystem.indexing.enabled': boolean(true, 'Extract and index the text of files'),
  'application.filesystem.indexing.maxsize': integer(10, 'Largest file whose text is indexed (MB)', { min: 0 }),
  'application.filesystem.indexing.maxtext': integer(1_000_000, 'Longest text that is kept of a file (characters)', {
    min: 1000,
    max: 10_000_000,
  }),
  'application.filesystem.indexing.timeout': integer(
    60,
    'Longest time the text of one file may take, without OCR (s)',
    {
      min: 1,
      max: 3600,
    },
  ),
  'application.filesystem.indexing.ocr.languages': string(
    '',
    'Languages of text in images and on scanned pages, separated by commas, as the packages @tesseract.js-data/<language> ' +
      'that are installed are called (eng,deu); none: such text is not looked for',
  ),
  'application.filesystem.indexing.ocr.maxpages': integer(50, 'Most pages and images of one file that are recognised', {
    min: 1,
    max: 10_000,
  }),
  'application.filesystem.indexing.ocr.timeout': integer(
    600,
    'Longest time the text of one file may take where images and scanned pages are recognised (s)',
    { min: 1, max: 86_400 },
  ),
});
