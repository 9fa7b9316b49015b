/** How an editor of pages asks for a file (contract, request parameters; docs/interface/files.md 5.3). */
import type { Exchange } from '../../http/index.js';

/** By the number of the parameter. */
export const EDIT_MODES = ['NONE', 'WIDGET', 'CONTENT', 'RAW', 'DEPLOYMENT', 'PREVIEW'] as const;
export type EditMode = (typeof EDIT_MODES)[number];

/** The mode that a request asks for; whether whoever asks may have it is not looked at. `legacy`: parameters have no underscore. */
export function askedMode({ query }: Exchange, legacy: boolean): EditMode {
  if (query === '') return 'NONE';
  const asked = new URLSearchParams(query).get(legacy ? 'edit' : '_edit');
  return (asked !== null && /^\d$/.test(asked) ? EDIT_MODES[Number(asked)] : undefined) ?? 'NONE';
}
