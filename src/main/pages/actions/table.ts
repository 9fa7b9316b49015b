/** What action mappings do (docs/interface/pages.md 7.3). */

/** Done by the browser alone. */
export const PAGE_ACTIONS = ['prev-page', 'next-page', 'first-page', 'last-page'] as const;
export type PageAction = (typeof PAGE_ACTIONS)[number];

export const ACTIONS = [
  'none',
  'pagination',
  ...PAGE_ACTIONS,
  'create',
  'update',
  'delete',
  'append-child',
  'remove-child',
  'insert-html',
  'replace-html',
  'method',
  'flow',
  'sign-in',
  'sign-out',
  'sign-up',
  'reset-password',
] as const;
export type Action = (typeof ACTIONS)[number];

/** The number of the page that an action leads to, of lists whose end nobody knows. */
export function pageNumber(action: PageAction, now: number): number {
  switch (action) {
    case 'prev-page':
      return Math.max(1, now - 1);
    case 'next-page':
      return now + 1;
    case 'first-page':
      return 1;
    case 'last-page':
      return 1000;
  }
}
