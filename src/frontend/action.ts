/** From an event to what becomes of it (docs/interface/pages.md 7.4). */
import { follow, navigate } from './follow.js';
import { dispatch, tell } from './listeners.js';
import { clearErrors, notify } from './notifications.js';
import { optionsOf, type Options } from './options.js';
import { sendEvent, type Outcome } from './server.js';
import { inputsOf, valuesOf, type Place, type Value } from './values.js';

const RUNNING = 'svc-action-running';
/** Somebody who clicks twice means it once. */
const ONCE: ReadonlySet<string> = new Set(['click', 'submit']);
const waiting = new WeakMap<Element, number>();

/** Handles an event of an element that sets off an action. */
export function handle(event: Event, element: HTMLElement): void {
  const options = optionsOf(element);
  if (options.preventDefault) event.preventDefault();
  if (options.stopPropagation) event.stopPropagation();
  if (ONCE.has(event.type) && element.classList.contains(RUNNING)) return;
  const place: Place = { element, dragged: draggedBy(event) };
  window.clearTimeout(waiting.get(element));
  const begin = (): void => {
    void run(event.type, place, options);
  };
  if (options.delay > 0) waiting.set(element, window.setTimeout(begin, options.delay));
  else begin();
}

async function run(type: string, place: Place, options: Options): Promise<void> {
  const { element } = place;
  const inputs = mappedInputs(element);
  clearErrors(element, [...inputs.values()].flat());
  if (!isValid(element, inputs) || !isConfirmed(element)) return;
  element.classList.add(RUNNING);
  dispatch(element, 'svc-action-started', {});
  tell('start', { element });
  try {
    const outcome = await act(type, place);
    if (outcome.next !== undefined) {
      navigate(outcome.next);
      return;
    }
    const { isSuccess, status, result } = outcome;
    tell(isSuccess ? 'success' : 'error', { element, status, result });
    notify(element, outcome, inputs, options);
    if (isSuccess && options.resetValue) for (const input of [...inputs.values()].flat()) reset(input);
    await follow(element, outcome);
  } finally {
    element.classList.remove(RUNNING);
    dispatch(element, 'svc-action-finished', {});
  }
}

async function act(type: string, place: Place): Promise<Outcome> {
  const { element } = place;
  let values: Record<string, Value>;
  try {
    values = await valuesOf(place);
  } catch (error) {
    // An upload that failed.
    const message = error instanceof Error ? error.message : String(error);
    return { isSuccess: false, status: 0, result: null, message, errors: [] };
  }
  const { svcTarget } = element.dataset;
  if (svcTarget !== undefined && Object.hasOwn(values, svcTarget)) {
    // Another page, or another order, of a list: nothing is asked but the list.
    const result = { [svcTarget]: values[svcTarget] };
    return { isSuccess: true, status: 200, result, message: '', errors: [] };
  }
  return sendEvent(element.dataset['svcId'] ?? '', { ...values, htmlEvent: type });
}

/** Inputs by the keys of their values. */
function mappedInputs(element: HTMLElement): ReadonlyMap<string, readonly HTMLElement[]> {
  const inputs = new Map<string, readonly HTMLElement[]>();
  for (const [key, text] of Object.entries(element.dataset)) {
    const found = inputsOf(text ?? '', element);
    if (found.length > 0) inputs.set(key, found);
  }
  return inputs;
}

interface Checked {
  reportValidity(): boolean;
}

function isValid(element: HTMLElement, inputs: ReadonlyMap<string, readonly HTMLElement[]>): boolean {
  return [element, ...[...inputs.values()].flat()].every(
    (one) => !('reportValidity' in one) || (one as unknown as Checked).reportValidity(),
  );
}

function isConfirmed({ dataset }: HTMLElement): boolean {
  if (dataset['svcDialogType'] !== 'okcancel') return true;
  const parts = [dataset['svcDialogTitle'], dataset['svcDialogText']].filter((part) => part !== undefined);
  return window.confirm(parts.join('\n\n'));
}

/** As it was when the page came. */
function reset(input: HTMLElement): void {
  if (input instanceof HTMLInputElement) {
    if (input.type === 'file') input.value = '';
    else if (input.type === 'checkbox' || input.type === 'radio') input.checked = input.defaultChecked;
    else input.value = input.defaultValue;
  } else if (input instanceof HTMLTextAreaElement) input.value = input.defaultValue;
  else if (input instanceof HTMLSelectElement) {
    for (const option of input.options) option.selected = option.defaultSelected;
    if (!input.multiple && input.selectedIndex < 0) input.selectedIndex = 0;
  }
}

/** What was dragged here: JSON of `[draggable]` elements, or the id of an object. */
function draggedBy(event: Event): Value | undefined {
  if (!(event instanceof DragEvent) || event.dataTransfer === null || event.type !== 'drop') return undefined;
  const text = event.dataTransfer.getData('application/json') || event.dataTransfer.getData('text/plain');
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text === '' ? undefined : { id: text };
  }
}
