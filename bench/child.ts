/** Processes that do one kind of work for the bench, told by messages: so nothing measured shares a loop with the rest. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Reply {
  readonly result?: unknown;
  readonly error?: string;
}

export class Child<In, Out> {
  private readonly child: ChildProcess;

  /** `name`: module in `children/` that calls `serve`. */
  constructor(name: string) {
    this.child = fork(fileURLToPath(new URL(`./children/${name}.js`, import.meta.url)), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // Parameters of statements have 64-bit integers, which JSON has not.
      serialization: 'advanced',
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the process did not start');
    return this.child.pid;
  }

  call(message: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void => {
        reject(new Error(`a process of the bench ended with ${String(code)}`));
      };
      this.child.once('exit', ended);
      this.child.once('message', ({ result, error }: Reply) => {
        this.child.off('exit', ended);
        if (error === undefined) resolve(result as Out);
        else reject(new Error(error));
      });
      this.child.send(message as object);
    });
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    // It ends itself then: killed with a message on its way, it would leave an error on the channel.
    if (this.child.connected) this.child.disconnect();
    await gone;
  }
}

/** The child's side: answers each message with what `work` makes of it. */
export function serve<In, Out>(work: (message: In) => Promise<Out> | Out): void {
  process.on('message', (message) => {
    Promise.resolve()
      .then(() => work(message as In))
      .then(
        (result) => process.send?.({ result }),
        (error: unknown) =>
          process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
  });
  // The bench has ended, one way or another.
  process.on('disconnect', () => process.exit(0));
}
