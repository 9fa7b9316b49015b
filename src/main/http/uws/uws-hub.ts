import type { Hub } from '../transport/hub.js';
import type { Turns } from './turns.js';

/** What all requests of one listener share. */
export interface UwsHub {
  readonly hub: Hub;
  readonly turns: Turns;
}
