/** How a request gets to another server: what is known of the call, and what leads there. */
import type { Dispatcher } from 'undici';
import type { Targets } from './targets.js';

export interface RoutedCall {
  readonly url: URL;
  /** By name as it is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly targets: Targets;
  /** Until the connection stands (ms); 0: no limit. */
  readonly connectTime: number;
  readonly checksCertificates: boolean;
  readonly signal: AbortSignal;
}

export interface Route {
  /** Of this call alone, with one connection. */
  readonly dispatcher: Dispatcher;
  /** Where the dispatcher connects to. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}
