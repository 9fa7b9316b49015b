/** With what a front-end thread begins. */
import type { MessagePort } from 'node:worker_threads';
import type { ConfigCopy } from '../../config/index.js';
import type { Seat } from '../../graph/index.js';
import type { SharedPorts } from '../ports.js';

export interface FrontEndData {
  readonly config: ConfigCopy;
  readonly version: string;
  readonly graph: Seat;
  /** Questions of both sides (`Calls`). */
  readonly calls: MessagePort;
  readonly ports: SharedPorts;
  /** Headers of every answer, whatever the settings say. */
  readonly headers: Readonly<Record<string, string>>;
}
