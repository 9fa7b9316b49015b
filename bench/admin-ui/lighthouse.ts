/** Lighthouse, which is no part of the project: `npx` fetches it where a registry answers. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { freePort } from '../free-port.js';

const LIGHTHOUSE = ['--yes', 'lighthouse@12'] as const;
const LONGEST_MS = 180_000;

/** Whether it can be started here. */
export async function lighthouseInstalled(): Promise<boolean> {
  return (await run([...LIGHTHOUSE, '--version'], {})) === 0;
}

/**
 * The score of performance, 0 to 100, for a telephone on a slow line, as Lighthouse has it by default. `cookie`: of a session; absent: nobody has
 * logged in.
 */
export async function score(
  browser: string,
  url: string,
  folder: string,
  cookie?: { readonly name: string; readonly value: string },
): Promise<number> {
  const port = await freePort();
  const context = await chromium.launchPersistentContext(join(folder, `lighthouse-${String(port)}`), {
    executablePath: browser,
    args: ['--no-sandbox', `--remote-debugging-port=${String(port)}`],
  });
  try {
    if (cookie !== undefined) await context.addCookies([{ name: cookie.name, value: cookie.value, url }]);
    const output = join(folder, `lighthouse-${String(port)}.json`);
    const code = await run(
      [
        ...LIGHTHOUSE,
        url,
        `--port=${String(port)}`,
        ...['--disable-storage-reset', '--only-categories=performance', '--output=json', '--quiet'],
        `--output-path=${output}`,
      ],
      { CHROME_PATH: browser },
    );
    if (code !== 0) throw new Error(`Lighthouse ended with ${String(code)}`);
    const report = JSON.parse(await readFile(output, 'utf8')) as {
      readonly categories: { readonly performance: { readonly score: number | null } };
    };
    return (report.categories.performance.score ?? NaN) * 100;
  } finally {
    await context.close();
  }
}

/** Its exit code; null: it did not end, or cannot be started. */
function run(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn('npx', args, { stdio: 'ignore', env: { ...process.env, ...environment }, timeout: LONGEST_MS });
    child.on('error', () => {
      resolve(null);
    });
    child.on('exit', resolve);
  });
}
