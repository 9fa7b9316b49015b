import type { Grouped } from './setting.js';
import { analyticsSettings } from './settings/server/analytics.js';
import { applicationSettings } from './settings/server/application.js';
import { backupSettings } from './settings/server/backup.js';
import { changelogSettings } from './settings/server/changelog.js';
import { clusterSettings } from './settings/server/cluster.js';
import { databaseSettings } from './settings/server/database.js';
import { fileSettings } from './settings/content/files.js';
import { geocodingSettings } from './settings/content/geocoding.js';
import { httpSettings } from './settings/server/http.js';
import { jsonSettings } from './settings/server/json.js';
import { localizationSettings } from './settings/content/localization.js';
import { pageSettings } from './settings/content/pages.js';
import { logSettings } from './settings/server/log.js';
import { mailSettings } from './settings/content/mail.js';
import { indexingSettings } from './settings/content/indexing.js';
import { deploymentSettings } from './settings/server/deployment.js';
import { imageSettings } from './settings/content/images.js';
import { maintenanceSettings } from './settings/server/maintenance.js';
import { oauthSettings } from './settings/logins/oauth.js';
import { outboundSettings } from './settings/content/outbound.js';
import { passwordSettings } from './settings/logins/passwords.js';
import { pathSettings } from './settings/server/paths.js';
import { registrationSettings } from './settings/logins/registration.js';
import { restSettings } from './settings/server/rest.js';
import { scriptingSettings } from './settings/content/scripting.js';
import { securitySettings } from './settings/logins/security.js';
import { serviceSettings } from './settings/server/services.js';
import { servletSettings } from './settings/server/servlets.js';
import { setupSettings } from './settings/server/setup.js';
import { threadSettings } from './settings/server/threads.js';
import { tokenSettings } from './settings/logins/tokens.js';
import { translationSettings } from './settings/content/translation.js';
import { twoFactorSettings } from './settings/logins/two-factor.js';
import { videoSettings } from './settings/content/videos.js';

/** Every setting there is, by its name in lower case (specification, Configuration). */
export const catalogue = {
  ...applicationSettings,
  ...httpSettings,
  ...restSettings,
  ...jsonSettings,
  ...databaseSettings,
  ...clusterSettings,
  ...securitySettings,
  ...oauthSettings,
  ...tokenSettings,
  ...passwordSettings,
  ...twoFactorSettings,
  ...registrationSettings,
  ...mailSettings,
  ...logSettings,
  ...pathSettings,
  ...fileSettings,
  ...videoSettings,
  ...indexingSettings,
  ...imageSettings,
  ...geocodingSettings,
  ...scriptingSettings,
  ...outboundSettings,
  ...localizationSettings,
  ...pageSettings,
  ...translationSettings,
  ...changelogSettings,
  ...analyticsSettings,
  ...backupSettings,
  ...serviceSettings,
  ...threadSettings,
  ...servletSettings,
  ...deploymentSettings,
  ...maintenanceSettings,
  ...setupSettings,
} as const;

type Catalogue = typeof catalogue;

/** Name of a setting of the catalogue. */
export type SettingName = keyof Catalogue;

/** Type of the value of a setting: `SettingValueOf<'application.http.port'>` is `number`. */
export type SettingValueOf<N extends SettingName> = Catalogue[N]['default'];

/** A value for every setting. */
export type SettingValues = { readonly [N in SettingName]: SettingValueOf<N> };

/** Names of the settings that hold a path. */
export type PathSettingName = {
  [N in SettingName]: Catalogue[N] extends { readonly path: true } ? N : never;
}[SettingName];

const byName: ReadonlyMap<string, Grouped> = new Map<string, Grouped>(Object.entries(catalogue));

/** All names, in the order of the catalogue. */
export const settingNames = Object.keys(catalogue) as readonly SettingName[];

/** The setting's name as the catalogue has it, for a name in any case; undefined when there is none. */
export function findSettingName(name: string): SettingName | undefined {
  const lower = name.toLowerCase();
  return byName.has(lower) ? (lower as SettingName) : undefined;
}

/** What the catalogue says about a setting, without the exact type of its value. */
export function describeSetting(name: SettingName): Grouped {
  return catalogue[name];
}
