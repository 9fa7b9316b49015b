/** With what a front-end thread begins. */
import type { MessagePort } from 'node:worker_threads';
import type { ConfigCopy } from '../../config/index.js';
import type { Seat } from '../../graph/index.js';
import type { SharedHttp } from '../../http/index.js';

export interface FrontEndData {
  readonly config: ConfigCopy;
  readonly version: string;
  readonly graph: Seat;
  /** Questions of both sides (`Calls`). */
  readonly calls: MessagePort;
  /** Ports that are listened on, what counts for the process, and where requests are handed over. */
  readonly http: SharedHttp;
  /** Headers of every answer, whatever the settings say. */
  readonly headers: Readonly<Record<string, string>>;
}
