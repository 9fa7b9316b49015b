/**
 * Says at the end of a run which of its processes have died, by what, and which tests were lost with them: the runner itself
 * only says that one has.
 */
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { Reporter, TestModule } from 'vitest/node';

interface Death {
  readonly pid: number | undefined;
  readonly cause: string;
}

export class LostWorkers implements Reporter {
  private readonly deaths: Death[] = [];

  onInit(): void {
    // Processes of tests are begun by their workers, not by the runner: these are the workers.
    subscribe('child_process', (message) => {
      const { process: child } = message as { process: ChildProcess };
      child.once('exit', (code, signal) => {
        if (code !== 0 && signal !== 'SIGTERM') {
          this.deaths.push({ pid: child.pid, cause: signal ?? `exit code ${String(code)}` });
        }
      });
    });
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const lost = modules.flatMap((module) =>
      [...module.children.allTests('pending')].map((test) => `${module.relativeModuleId} > ${test.fullName}`),
    );
    if (lost.length === 0) return;
    for (const { pid, cause } of this.deaths) console.error(`A process of tests has died: ${String(pid)}, ${cause}`);
    console.error(`Tests that did not come to their end:\n${lost.map((name) => `  ${name}`).join('\n')}`);
  }
}
