/** A test that fails because a request was refused a line before says by which answer. Vitest loads it before each file of `npm test`. */
import { afterAll, afterEach, beforeAll, beforeEach, type RunnerTestSuite } from 'vitest';
import { Client } from './client.js';

function explain(errors: { message: string }[] | undefined): void {
  for (const error of errors ?? []) {
    for (const one of Client.lastRefusals())
      if (!error.message.includes(one)) error.message += `\nRefused before: ${one}`;
  }
}

/** What fails before the first test fails its suite. */
function explainSuite({ result, tasks }: Readonly<RunnerTestSuite>): void {
  explain(result?.errors);
  for (const task of tasks) if (task.type === 'suite') explainSuite(task);
}

function forget(): void {
  Client.forgetRefusals();
}

beforeAll(forget);
beforeEach(forget);
afterEach(({ task }) => {
  explain(task.result?.errors);
});
afterAll(({}, suite) => {
  explainSuite(suite);
});
