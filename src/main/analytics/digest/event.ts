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
  return {
    id,
    timestamp: timeIn(properties),
    action: textOf(properties['action']),
    subject: textOf(properties['subject']),
    object: textOf(properties['object']),
    message: textOf(properties['message']),
  };
}

/** Undefined where it is no time. */
export function timeIn({ timestamp }: Stored): number | undefined {
  return typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
