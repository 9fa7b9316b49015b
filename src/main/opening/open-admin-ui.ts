/** The Admin UI, as the settings want it. */
import { createAdminUi, type AdminUiParts } from '../admin-ui/index.js';
import type { Config } from '../config/index.js';
import type { Handler } from '../http/index.js';

/** Its handler; undefined: `adminui.enabled` turns it off. */
export async function openAdminUi(
  config: Config,
  parts: Omit<AdminUiParts, 'config' | 'packs'>,
): Promise<Handler | undefined> {
  if (!config.get('adminui.enabled')) return undefined;
  return createAdminUi({ ...parts, config, packs: () => config.get('httpservice.gzip.enabled') });
}
