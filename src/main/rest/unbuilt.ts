/** Paths of the interface that nothing serves yet. They answer 501, so that nobody takes them for a slip in the address. */
import type { Exchange } from '../http/index.js';
import { RestError, sendError } from './errors.js';

/** What is missing, by its path; all below it counts, too. Whoever builds one removes its line, and the one in README. */
const UNBUILT: ReadonlyMap<string, string> = new Map([
  ['/svc/ws', 'the websocket'],
  ['/svc/pdf', 'pages as PDF'],
]);

const OWN = '/svc/';

/** Answers 404 at a path of a servlet that `httpservice.servlets` leaves out. */
export function answerOff(exchange: Exchange, servlet: string): void {
  sendError(exchange, new RestError(404, `Not active here: ${servlet} (setting httpservice.servlets).`));
}

/** Answers 501 at a path that is on the list. False: it is not. */
export function answerUnbuilt(exchange: Exchange): boolean {
  const { path } = exchange;
  if (!path.startsWith(OWN)) return false;
  const end = path.indexOf('/', OWN.length);
  const place = end < 0 ? path : path.slice(0, end);
  const what = UNBUILT.get(place);
  if (what === undefined) return false;
  sendError(exchange, new RestError(501, `Not part of this version: ${what} (${place}).`));
  return true;
}
