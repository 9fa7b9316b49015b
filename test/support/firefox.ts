/**
 * Firefox as it is released, for tests in a second browser. It is driven by WebDriver BiDi, for which neither a Firefox of Playwright's own nor a driver beside
 * it is needed.
 */
import { firefox, type Browser } from 'playwright-core';

/** Commands that Firefox 153 does not know, and Playwright sends whether anything is to be emulated or not. */
const UNKNOWN = new Set(['emulation.setMediaFeaturesOverride']);

type Send = (this: unknown, method: string, params?: unknown) => Promise<unknown>;
interface Inside {
  readonly _connection: { toImpl(browser: Browser): { readonly _browserSession: object } };
}

export async function launchFirefox(executablePath: string | undefined): Promise<Browser> {
  const path = executablePath === undefined ? {} : { executablePath };
  const browser = await firefox.launch({ ...path, channel: 'moz-firefox' });
  const { _browserSession: session } = (browser as unknown as Inside)._connection.toImpl(browser);
  const prototype = Object.getPrototypeOf(session) as { send: Send; patched?: true };
  if (prototype.patched !== true) {
    const { send } = prototype;
    prototype.send = function (method, params) {
      return UNKNOWN.has(method) ? Promise.resolve({}) : send.call(this, method, params);
    };
    prototype.patched = true;
  }
  return browser;
}
