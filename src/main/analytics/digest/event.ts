import type { Stored } from '../../../shared/digest.js';

/** An event as it is stored; what it does not have is undefined. */
export interface LoggedEvent {
  readonly id: string;
  readonly timestamp: number | undefined;
  readonly action: string | undefined;
  readonly subject: string | undefined;
  readonly object: string | undefined;
  readonly message: string | undefined;
}

export function eventOf(id: string, properties: Stored): LoggedEvent {
  const { timestamp } = properties;
  return {
    id,
    timestamp: typeof timestamp === 'number' ? timestamp : undefined,
    action: textOf(properties['action']),
    subject: textOf(properties['subject']),
    object: textOf(properties['object']),
    message: textOf(properties['message']),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
