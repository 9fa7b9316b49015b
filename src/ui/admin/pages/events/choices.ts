/** What an action can be, and what can follow (docs/interface/pages.md 7.1). */

export const ACTIONS = [
  'none',
  'create',
  'update',
  'delete',
  'append-child',
  'remove-child',
  'insert-html',
  'replace-html',
  'method',
  'sign-in',
  'sign-out',
  'sign-up',
  'reset-password',
  'first-page',
  'prev-page',
  'next-page',
  'last-page',
] as const;

export const EVENTS = [
  'click',
  'submit',
  'change',
  'input',
  'blur',
  'focus',
  'keydown',
  'keyup',
  'dblclick',
  'drop',
  'load',
  'mouseover',
];

export const NOTIFICATIONS = [
  'none',
  'system-alert',
  'inline-text-message',
  'custom-dialog',
  'custom-dialog-linked',
  'fire-event',
] as const;

export const BEHAVIOURS = [
  'none',
  'full-page-reload',
  'partial-refresh',
  'partial-refresh-linked',
  'navigate-to-url',
  'fire-event',
  'sign-out',
] as const;

/** Kinds of parameters that give a value. */
export const PARAMETERS = [
  'user-input',
  'constant-value',
  'script-expression',
  'page-param',
  'pagesize-param',
] as const;

/** Actions that need objects which they are done to. */
export const WITH_TARGET: readonly string[] = [
  'update',
  'delete',
  'append-child',
  'remove-child',
  'insert-html',
  'replace-html',
  'method',
];
