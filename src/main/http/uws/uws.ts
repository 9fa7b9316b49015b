/** Loads uWebSockets.js late, because it reads its environment once, while loading. What its parser does: docs/http.md. */
import type * as Uws from 'uWebSockets.js';
import { loadNative } from '../../../shared/native/index.js';

export type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket_context_t,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';

/** What the binary has beyond its typings. */
export type UwsLibrary = typeof Uws & {
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  readonly _cfg?: (key: string) => void;
};

type ListenOn = (
  host: string,
  port: number,
  options: number,
  done: (socket: Uws.us_listen_socket | false) => void,
) => void;

/**
 * Listens. `alone` refuses a port that another server listens on, which uWebSockets.js would otherwise share; `shared`
 * takes part in a port whose other listen sockets are `shared` too (SO_REUSEPORT; not with port 0).
 */
export function listenOn(
  library: UwsLibrary,
  app: Uws.TemplatedApp,
  host: string,
  port: number,
  mode: 'alone' | 'shared',
): Promise<Uws.us_listen_socket | false> {
  const options = mode === 'alone' ? library.LIBUS_LISTEN_EXCLUSIVE_PORT : 0;
  return new Promise((resolve) => {
    // The typings know options only without a host.
    (app.listen as unknown as ListenOn).call(app, host, port, options, resolve);
  });
}

/** Connections that were accepted stay. */
export function closeListenSocket(library: UwsLibrary, socket: Uws.us_listen_socket): void {
  library.us_listen_socket_close(socket);
}

/** The first caller decides the largest request head of the process. Throws `NativeError`. */
export function loadUws(maxHeaderSize: number): UwsLibrary {
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(maxHeaderSize);
  const library = loadNative('uWebSockets.js') as UwsLibrary;
  // Drops the marker header that would name the server library in every response.
  library._cfg?.('silent');
  return library;
}
