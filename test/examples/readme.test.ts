/** The requests of README, run as they are pasted, against the real server. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

const run = promisify(execFile);
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The commands of a section, one text a block. */
function commandsOf(section: string): string[] {
  const text = README.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
}

function shells(): string[] {
  return ['bash', 'zsh'].filter((name) =>
    (process.env['PATH'] ?? '').split(':').some((folder) => exists(folder, name)),
  );
}

function exists(folder: string, name: string): boolean {
  try {
    readFileSync(`${folder}/${name}`);
    return true;
  } catch {
    return false;
  }
}

describe.each(shells())('the five requests of README in %s', (shell) => {
  let server: TestServer;
  let answers: string[];

  beforeAll(async () => {
    server = await TestServer.start();
    const [setup = '', ...blocks] = commandsOf('Five requests');
    const script = [setup.replace('http://localhost:8082', server.url), ...blocks].join("\nprintf '\\n@@\\n'\n");
    const { stdout } = await run(shell, ['-e', '-u', '-c', script]);
    answers = stdout.split('@@\n').slice(1);
  });
  afterAll(() => server.stop());

  const results = (text: string | undefined): unknown[] => {
    const answer = JSON.parse(text ?? '') as { readonly result: unknown };
    return Array.isArray(answer.result) ? (answer.result as unknown[]) : [answer.result];
  };

  it('define a type', () => {
    expect(results(answers[0])).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it('create objects of it', () => {
    expect(results(answers[1])).toHaveLength(3);
  });

  it('list the larger ones', () => {
    expect(results(answers[2])).toMatchObject([
      { name: 'Lyon', population: 522250 },
      { name: 'Nantes', population: 325070 },
    ]);
  });

  it('show to everybody what is permitted, and nothing else', async () => {
    const [, list] = (answers[3] ?? '').split(/(?<=\n})\s*(?={)/);
    expect(results(list ?? answers[3])).toMatchObject([{ name: 'Brest' }]);
    const refused = await fetch(`${server.url}/svc/rest/User`);
    expect(refused.status).toBe(401);
  });

  it('call a method of one object', () => {
    const [, called] = (answers[4] ?? '').split(/(?<=\n})\s*(?={)/);
    expect(results(called ?? answers[4])).toEqual([140619]);
  });
});

it('README is short', () => {
  expect(README.split('\n').length).toBeLessThan(150);
});
