/** How people are told what became of an action. */
import { dispatch } from './listeners.js';
import { milliseconds, type Options } from './options.js';
import type { FieldError, Outcome } from './server.js';

const MESSAGE = 'svc-notification';
const FIELD_MESSAGE = 'svc-field-error';
const INLINE = 5000;
/** Messages beside elements, which the next attempt takes away. */
const messages = new WeakMap<Element, HTMLElement>();

type Inputs = ReadonlyMap<string, readonly HTMLElement[]>;

export function notify(element: HTMLElement, outcome: Outcome, inputs: Inputs, options: Options): void {
  const name = outcome.isSuccess ? 'svcSuccessNotifications' : 'svcFailureNotifications';
  const { dataset } = element;
  const kind = dataset[name];
  if (kind === undefined || kind === 'none') return;
  const delay = milliseconds(dataset[`${name}Delay`], INLINE);
  if (!outcome.isSuccess) markFields(outcome.errors, inputs, delay);
  switch (kind) {
    case 'system-alert':
      window.alert(textOf(outcome));
      break;
    case 'inline-text-message':
      showBeside(element, textOf(outcome), MESSAGE, outcome.isSuccess ? 'svc-success' : 'svc-failure', delay);
      break;
    case 'custom-dialog':
      showDialogs(dataset[`${name}Partial`], options.hideTimeout);
      break;
    case 'custom-dialog-linked':
      showDialogs(dataset[`${name}CustomDialogElement`], options.hideTimeout);
      break;
    case 'fire-event': {
      const event = dataset[`${name}Event`];
      if (event !== undefined) dispatch(element, event, detailOf(element, outcome));
      break;
    }
  }
}

export function detailOf(element: HTMLElement, { result, status }: Outcome): unknown {
  return { result, status, element };
}

function textOf({ isSuccess, message, errors }: Outcome): string {
  if (isSuccess) return 'Operation successful';
  return [message, ...errors.map(({ property = '', token = '' }) => `${property} ${token}`.trim())].join('\n');
}

/** A text behind an element, for a while. */
function showBeside(element: Element, text: string, name: string, kind: string, delay: number): void {
  messages.get(element)?.remove();
  const message = document.createElement('span');
  message.className = `${name} ${kind}`;
  message.setAttribute('role', kind === 'svc-success' ? 'status' : 'alert');
  message.textContent = text;
  message.style.whiteSpace = 'pre-line';
  element.after(message);
  messages.set(element, message);
  window.setTimeout(() => {
    message.remove();
  }, delay);
}

function markFields(errors: readonly FieldError[], inputs: Inputs, delay: number): void {
  for (const { property, token = '' } of errors) {
    for (const input of property === undefined ? [] : (inputs.get(property) ?? [])) {
      input.style.borderColor = 'red';
      input.dataset['error'] = token;
      input.setAttribute('aria-invalid', 'true');
      showBeside(input, token.replaceAll('_', ' '), FIELD_MESSAGE, 'svc-failure', delay);
    }
  }
}

/** What was said of the attempt before. */
export function clearErrors(element: Element, inputs: readonly HTMLElement[]): void {
  messages.get(element)?.remove();
  for (const input of inputs) {
    if (input.dataset['error'] === undefined) continue;
    delete input.dataset['error'];
    input.style.borderColor = '';
    input.removeAttribute('aria-invalid');
    messages.get(input)?.remove();
  }
}

function showDialogs(selectors: string | undefined, time: number): void {
  if (selectors === undefined) return;
  for (const dialog of document.querySelectorAll(selectors)) {
    dialog.classList.remove('hidden');
    window.setTimeout(() => {
      dialog.classList.add('hidden');
    }, time);
  }
}
