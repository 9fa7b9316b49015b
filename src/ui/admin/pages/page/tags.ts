/** Elements of the palette, by what they are for. A type is named where it is not the tag with a capital letter. */
export interface TagGroup {
  readonly name: 'structure' | 'text' | 'list' | 'form' | 'media' | 'head';
  readonly tags: readonly string[];
}

export const GROUPS: readonly TagGroup[] = [
  { name: 'structure', tags: ['div', 'section', 'article', 'header', 'footer', 'main', 'nav', 'aside', 'dialog'] },
  { name: 'text', tags: ['h1', 'h2', 'h3', 'p', 'span', 'a', 'strong', 'em', 'blockquote', 'pre', 'code', 'br', 'hr'] },
  {
    name: 'list',
    tags: ['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  },
  {
    name: 'form',
    tags: ['form', 'label', 'input', 'textarea', 'select', 'option', 'button', 'fieldset', 'legend'],
  },
  { name: 'media', tags: ['img', 'picture', 'video', 'audio', 'source', 'iframe', 'figure', 'figcaption', 'template'] },
  { name: 'head', tags: ['html', 'head', 'title', 'body', 'meta', 'link', 'script', 'style'] },
];

export const ALL_TAGS: readonly string[] = GROUPS.flatMap(({ tags }) => tags);

/** Content types of texts (docs/interface/pages.md 3.3). */
export const CONTENT_TYPES = [
  'text/plain',
  'text/html',
  'text/markdown',
  'text/asciidoc',
  'text/textile',
  'text/mediawiki',
  'text/confluence',
  'text/tracwiki',
  'text/css',
  'text/javascript',
  'text/xml',
  'application/json',
];
