/** How an element wants its events handled (`data-svc-options`). */
export interface Options {
  /** Milliseconds; an event within them takes the place of the one before. */
  readonly delay: number;
  readonly preventDefault: boolean;
  readonly stopPropagation: boolean;
  /** Inputs are as they were when the page came, after success. */
  readonly resetValue: boolean;
  /** Milliseconds that dialogs are shown. */
  readonly hideTimeout: number;
}

const SHOWN = 5000;

export function optionsOf({ dataset }: HTMLElement): Options {
  let given: Partial<Record<keyof Options, unknown>> = {};
  try {
    const parsed: unknown = JSON.parse(dataset['svcOptions'] ?? '{}');
    if (typeof parsed === 'object' && parsed !== null) given = parsed;
  } catch {
    // What cannot be read says nothing.
  }
  return {
    delay: milliseconds(given.delay, 0),
    preventDefault: given.preventDefault !== false,
    stopPropagation: given.stopPropagation !== false,
    resetValue: given.resetValue === true,
    hideTimeout: milliseconds(given.hideTimeout, SHOWN),
  };
}

export function milliseconds(value: unknown, otherwise: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 ? number : otherwise;
}
