/** A server that answers MongoDB's driver as a test wants it to. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { BSON } from 'mongodb';
import type { Pair } from '../support/certificates.js';

type Document = Record<string, unknown>;
/** Answers a command; bytes are sent as they are, nothing for undefined. */
type Answers = (command: Document) => Document | Buffer | undefined;

export const HELLO: Document = { ok: 1, isWritablePrimary: true, minWireVersion: 0, maxWireVersion: 21 };

export interface FakeMongo {
  readonly port: number;
  /** Names of the commands that came. */
  readonly commands: string[];
  /** Connections that are open, and those that ever were. */
  readonly open: ReadonlySet<Socket>;
  connections(): number;
  stop(): void;
}

/** `pair`: it is encrypted. */
export async function fakeMongo(answers: Answers, pair?: Pair): Promise<FakeMongo> {
  const open = new Set<Socket>();
  const commands: string[] = [];
  let count = 0;
  const connected = (socket: Socket): void => {
    count++;
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        const isOld = message.readInt32LE(12) === 2004;
        // An old query has flags, the name of a collection and two numbers before its document; a message flags and a kind.
        const at = isOld ? message.indexOf(0, 20) + 9 : 21;
        const command = BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)));
        commands.push(Object.keys(command)[0] ?? '');
        const answer = answers(command);
        if (answer !== undefined) socket.write(Buffer.isBuffer(answer) ? answer : reply(message, answer, isOld));
      }
    });
  };
  const server =
    pair === undefined
      ? createServer(connected)
      : createSecureServer({ cert: pair.certificate, key: pair.key }, connected);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    open,
    connections: () => count,
    stop: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

function reply(to: Buffer, document: Document, isOld: boolean): Buffer {
  const body = Buffer.from(BSON.serialize(document));
  const before = Buffer.alloc(isOld ? 20 : 5);
  if (isOld) before.writeInt32LE(1, 16);
  return message(isOld ? 1 : 2013, Buffer.concat([before, body]), to.readInt32LE(4));
}

/** A message of the protocol. */
export function message(opcode: number, body: Buffer, responseTo = 0): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + body.length, 0);
  header.writeInt32LE(responseTo, 8);
  header.writeInt32LE(opcode, 12);
  return Buffer.concat([header, body]);
}
