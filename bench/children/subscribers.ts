/** Clients that listen to events and do nothing else: as many connections as are wanted, of which a few are read closely. */
import { connect, type Socket } from 'node:net';
import { serve } from '../child.js';

export interface SubscribersOrder {
  /** Absent: tell what came since the last time. */
  readonly open?: {
    readonly port: number;
    readonly count: number;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** What an event begins with. */
    readonly event: string;
    /** What says that the stream listens. Absent: it is told by another request, as PocketBase wants it, and then nothing is waited for. */
    readonly ready?: string;
    readonly subscribe?: { readonly path: string; readonly topic: string };
  };
}

export interface SubscribersResult {
  /** Events that those had together that are read closely, of each on average. */
  readonly events: number;
  readonly bytes: number;
  /** Connections that have ended. */
  readonly ended: number;
}

const AT_ONCE = 50;
/** Every so manieth is read closely. */
const CLOSELY = 100;

let events = 0;
let bytes = 0;
let ended = 0;
let closely = 0;

type Open = NonNullable<SubscribersOrder['open']>;

function open(order: Open, isClose: boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(order.port, '127.0.0.1');
    const lines = Object.entries(order.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${order.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`);
    let isReady = false;
    let beginning = '';
    socket.on('data', (data: Buffer) => {
      bytes += data.length;
      if (!isReady) {
        beginning += data.toString('latin1');
        const id = /"clientId":"([^"]+)"/.exec(beginning)?.[1];
        if (order.subscribe === undefined ? beginning.includes(order.ready ?? '') : id !== undefined) {
          isReady = true;
          if (order.subscribe === undefined) resolve(socket);
          else
            void subscribe(order, order.subscribe, id ?? '').then(() => {
              resolve(socket);
            }, reject);
        }
        return;
      }
      if (!isClose) return;
      for (let at = data.indexOf(order.event); at >= 0; at = data.indexOf(order.event, at + 1)) events++;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      ended++;
    });
  });
}

async function subscribe(
  { port }: Open,
  { path, topic }: NonNullable<Open['subscribe']>,
  clientId: string,
): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ clientId, subscriptions: [topic] }),
  });
  if (!answer.ok) throw new Error(`subscribing answered ${String(answer.status)}`);
}

serve<SubscribersOrder, SubscribersResult>(async ({ open: order }) => {
  if (order !== undefined) {
    for (let i = 0; i < order.count; i += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, order.count - i) }, (_, k) => open(order, (i + k) % CLOSELY === 0)),
      );
    closely = Math.ceil(order.count / CLOSELY);
  }
  const result = { events: events / closely, bytes, ended };
  [events, bytes, ended] = [0, 0, 0];
  return result;
});
