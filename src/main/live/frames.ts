/** What is told, in the two forms that it leaves in: server-sent events (HTML standard) and messages of a WebSocket (docs/interface/live.md 2, 9). */

const END = '\r\n';
/** Line ends of each kind: a text must not begin a field of its own. */
const LINES = /\r\n|\r|\n/;

/** Keeps a connection that says nothing, and shows one that is gone. */
export const HEARTBEAT = `:${END}${END}`;

export interface LiveEvent {
  /** One line: what follows its first line end is left out. */
  readonly name: string;
  readonly data: string;
  /** The service's own, whose data are JSON; those of scripts are any text. */
  readonly isOwn: boolean;
}

/** An event of the service itself. `data`: JSON. */
export function ownEvent(name: string, data: string): LiveEvent {
  return { name, data, isOwn: true };
}

/** Events that belong together, as bytes that all who get them share: each form is made once, when the first asks for it. */
export class Told {
  #text: Buffer | undefined;
  #messages: readonly Buffer[] | undefined;

  /** `id`: what a client that has got all of them comes back with; absent: they are not repeated. */
  constructor(
    readonly events: readonly LiveEvent[],
    private readonly id?: number,
  ) {}

  /** For a stream of server-sent events. The id comes last: who has lost some of them on the way gets all of them again. */
  get text(): Buffer {
    return (this.#text ??= Buffer.from(
      this.events.map(frame).join('') + (this.id === undefined ? '' : idFrame(this.id)),
    ));
  }

  /** For a WebSocket: one message an event, the id with the last. */
  get messages(): readonly Buffer[] {
    const last = this.events.length - 1;
    return (this.#messages ??= this.events.map((one, i) =>
      Buffer.from(message(one, i === last ? this.id : undefined)),
    ));
  }
}

function firstLine(name: string): string {
  return name.split(LINES, 1)[0] ?? '';
}

function frame({ name, data }: LiveEvent): string {
  const lines = data.split(LINES).map((line) => `data: ${line}${END}`);
  return `event: ${firstLine(name)}${END}${lines.join('')}${END}`;
}

/** What a client sends as `Last-Event-ID` when it comes back. Sets off no event by itself. */
function idFrame(id: number): string {
  return `id: ${String(id)}${END}${END}`;
}

function message({ name, data, isOwn }: LiveEvent, id: number | undefined): string {
  const head = id === undefined ? '{' : `{"id":${String(id)},`;
  return `${head}"event":${JSON.stringify(firstLine(name))},"data":${isOwn ? data : JSON.stringify(data)}}`;
}
