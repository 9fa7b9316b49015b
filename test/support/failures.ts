/** Says at the very end of a run what has failed, a line each: who sees only the end of a long log sees why. */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** Failures that are told. */
const MOST = 8;
/** Characters of a message from its beginning and from its end, where what was refused stands (last-refusal.ts). */
const [BEGINNING, END] = [150, 300];
const LONG = BEGINNING + END + 10;

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > LONG ? `${line.slice(0, BEGINNING)} ... ${line.slice(-END)}` : line;
}

/** What has failed in a file: itself, its suites (hooks), its tests. */
function failuresOf(module: TestModule): string[] {
  const all = [
    ...module.errors().map(({ message }) => message),
    ...[...module.children.allSuites()].flatMap((suite) =>
      suite.errors().map((one) => `${suite.fullName}: ${one.message}`),
    ),
    ...[...module.children.allTests('failed')].map(
      (test) => `${test.fullName}: ${test.result().errors?.[0]?.message ?? ''}`,
    ),
  ];
  return all.map((text) => `FAILED ${module.relativeModuleId} > ${short(text)}`);
}

/** With `TESTS_FAILED` the files that have failed are written there, a line each (test/support/once-more.sh). */
export class Failures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message: string }[]): void {
    const lines = [
      ...unhandled.map(({ message }) => `FAILED outside of tests: ${short(message)}`),
      ...modules.flatMap(failuresOf),
    ];
    const list = process.env['TESTS_FAILED'];
    if (list !== undefined && unhandled.length === 0) {
      const failed = modules.filter((module) => failuresOf(module).length > 0);
      writeFileSync(list, failed.map(({ relativeModuleId }) => `${relativeModuleId}\n`).join(''));
    }
    if (lines.length === 0) return;
    if (lines.length > MOST) lines.splice(MOST, Infinity, `and ${String(lines.length - MOST)} more`);
    console.error(lines.join('\n'));
  }
}
