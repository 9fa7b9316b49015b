/** The text of documents, stored where full-text search and scripts find it (docs/interface/media.md 4, docs/design/media.md 7). */
import type { GraphNode, PropertyChanges } from '../../graph/index.js';
import type { Config } from '../../config/index.js';
import { placeOfContent, sizeOf } from '../../files/index.js';
import { longWork } from '../../../shared/work/index.js';
import type { Outcome } from '../../../workers/outcome.js';
import type { TextJob, TextResult } from '../../../workers/media/text/read.js';
import { MediaError } from '../errors.js';
import type { Step } from '../processing/step.js';

const MB = 1024 * 1024;
/** Contents that have no text that could be read. */
const WITHOUT = /^(?:video|font)\//;
const MOST_LANGUAGES = 10;

/** Languages of text in images, as the setting names them. */
function ocrLanguages(config: Config): readonly string[] {
  const names = config.get('application.filesystem.indexing.ocr.languages').split(/[,;+\s]+/);
  return [...new Set(names.filter((name) => /^[A-Za-z][\w-]{0,40}$/.test(name)))].slice(0, MOST_LANGUAGES);
}

/** Whether the text of a file with this content is kept. */
function isIndexed(file: GraphNode, hasTrait: (name: string) => boolean, config: Config): boolean {
  const { indexed, isExternal, isTemplate, contentType, version } = file.properties;
  if (typeof version !== 'number' || version === 0 || isTemplate === true) return false;
  // What lies in mounted directories says so itself, when the directory is to be indexed.
  const wanted = indexed ?? (isExternal !== true && config.get('application.filesystem.indexing.enabled'));
  if (wanted !== true || sizeOf(file) > config.get('application.filesystem.indexing.maxsize') * MB) return false;
  const type = typeof contentType === 'string' ? contentType : '';
  if (WITHOUT.test(type) || hasTrait('VideoFile')) return false;
  const isImage = hasTrait('Image') || type.startsWith('image/');
  if (!isImage || type.startsWith('image/svg')) return true;
  return file.properties['isThumbnail'] !== true && ocrLanguages(config).length > 0;
}

const NOTHING: PropertyChanges = { extractedContent: null, extractedLanguage: null };

export const textStep: Step = {
  name: 'text',
  wants: (file, hasTrait, { config }) =>
    // Text of another content has to go.
    typeof file.properties['extractedContent'] === 'string' || isIndexed(file, hasTrait, config),
  async run({ file, type, signal, died }, { config, files }) {
    if (!isIndexed(file, (name) => type.hasTrait(name), config)) return NOTHING;
    const languages = ocrLanguages(config);
    const { name, contentType } = file.properties;
    const seconds = config.get(
      languages.length > 0 ? 'application.filesystem.indexing.ocr.timeout' : 'application.filesystem.indexing.timeout',
    );
    const work = {
      file: 'media/text/read',
      what: 'reading text',
      time: seconds * 1000,
      priority: 'background',
      signal,
      died,
    } as const;
    const ocr = { languages, pages: config.get('application.filesystem.indexing.ocr.maxpages') };
    const place = placeOfContent(file);
    const outcome = await files.onDisk.with(
      place,
      sizeOf(file),
      (path) => {
        const job: TextJob = {
          path,
          name: typeof name === 'string' ? name : '',
          contentType: typeof contentType === 'string' ? contentType : '',
          most: config.get('application.filesystem.indexing.maxtext'),
          ...(languages.length === 0 ? {} : { ocr }),
        };
        return longWork().run<Outcome<TextResult>>(job, work);
      },
      signal,
    );
    if ('problem' in outcome) throw new MediaError(422, `Its text could not be read: ${outcome.problem}`);
    return changesOf(outcome.value);
  },
};

function changesOf({ format, text, language, problem }: TextResult): PropertyChanges {
  if (format === undefined) return NOTHING;
  return {
    extractedContent: text,
    extractedLanguage: language ?? null,
    ...(problem === undefined ? {} : { processingMessage: `Only a part of its text could be read: ${problem}` }),
  };
}
