/** Connections that are open and say little, as browsers and clients with a pool keep them. */
import { connect, type Socket } from 'node:net';
import { serve } from '../child.js';

export interface IdleOrder {
  /** Absent: tell how they are. */
  readonly open?: {
    readonly port: number;
    readonly count: number;
    /** Each asks for this when it has connected. */
    readonly path: string;
    /** And again after so many milliseconds; 0: never. */
    readonly every: number;
  };
}

export interface IdleResult {
  readonly open: number;
  /** Closed by the server, or never opened. */
  readonly lost: number;
}

const AT_ONCE = 100;

const sockets = new Set<Socket>();
let lost = 0;

/** Resolves with the first answer, or when there is none. */
function open({ port, path, every }: NonNullable<IdleOrder['open']>): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const text = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    let timer: NodeJS.Timeout | undefined;
    sockets.add(socket);
    socket.write(text);
    socket.on('data', () => {
      if (every > 0) timer ??= setInterval(() => socket.write(text), every);
      resolve();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      if (sockets.delete(socket)) lost++;
      resolve();
    });
  });
}

serve<IdleOrder, IdleResult>(async ({ open: order }) => {
  for (let i = 0; order !== undefined && i < order.count; i += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, order.count - i) }, () => open(order)));
  return { open: sockets.size, lost };
});
