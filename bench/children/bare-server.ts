/** The baseline of reading: uWebSockets.js alone, answering whatever is asked with the same bytes. */
import uws from 'uWebSockets.js';
import { serve } from '../child.js';

export interface BareAnswer {
  /** Status line and headers as sent, without those that uWebSockets.js adds itself. */
  readonly head: string;
  readonly body: string;
}

// As in the server: without the header that names the library (not in its typings).
(uws as { _cfg?: (key: string) => void })._cfg?.('silent');

serve<BareAnswer, number>(({ head, body }) => {
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    uws
      .App()
      .any('/*', (res) => {
        // The head in one piece: each call into the library costs more than the bytes.
        res.writeStatus(head).end(bytes);
      })
      .listen('127.0.0.1', 0, (socket) => {
        if (socket === false) reject(new Error('no free port'));
        else resolve(uws.us_socket_local_port(socket));
      });
  });
});
