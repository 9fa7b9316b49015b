import { fileURLToPath } from 'node:url';
import { KeptFiles, type KeptOptions } from './kept-files.js';

/** What pages of the program may load: files of this server alone, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  // Sound and film of the area Files.
  "media-src 'self'",
  // Previews, each with a policy of its own; `blob:` is a PDF, bytes that the page has named so itself, so that nothing in them runs.
  "frame-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** Pages that come with the program, built by Vite. Names of their scripts and styles hold the hash of their content, so browsers keep them for good. */
export function openPageFiles(folder: URL, packs: KeptOptions['packs'], referrer: string): Promise<KeptFiles> {
  const ofPages = { 'Content-Security-Policy': POLICY.join('; '), 'Referrer-Policy': referrer };
  return KeptFiles.open(fileURLToPath(folder), {
    packs,
    caching: (path) => (path.endsWith('.html') ? 'no-cache' : 'public, max-age=31536000, immutable'),
    headers: (path): Readonly<Record<string, string>> => (path.endsWith('.html') ? ofPages : {}),
  });
}
