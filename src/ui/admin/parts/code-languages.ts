/** Languages of the code editor, each loaded when it is needed. */
import type { Extension } from '@codemirror/state';

const LANGUAGES = {
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  json: async () => (await import('@codemirror/lang-json')).json(),
  html: async () => (await import('@codemirror/lang-html')).html(),
  css: async () => (await import('@codemirror/lang-css')).css(),
  markdown: async () => (await import('@codemirror/lang-markdown')).markdown(),
  text: (): Promise<Extension> => Promise.resolve([]),
} as const;

export type CodeLanguage = keyof typeof LANGUAGES;

export const loadLanguage = (name: CodeLanguage): Promise<Extension> => LANGUAGES[name]();

/** The language of files of a content type; `text` when there is none for it. */
export function languageOf(contentType: string): CodeLanguage {
  const type = contentType.replace(/;.*/, '').trim().toLowerCase();
  if (/javascript|typescript|ecmascript/.test(type)) return 'javascript';
  if (/json/.test(type)) return 'json';
  if (/html|xml|svg/.test(type)) return 'html';
  if (/css/.test(type)) return 'css';
  if (/markdown/.test(type)) return 'markdown';
  return 'text';
}
