import type { Grouped } from './setting.js';
import { applicationSettings } from './settings/application.js';
import { changelogSettings } from './settings/changelog.js';
import { clusterSettings } from './settings/cluster.js';
import { databaseSettings } from './settings/database.js';
import { fileSettings } from './settings/files.js';
import { geocodingSettings } from './settings/geocoding.js';
import { httpSettings } from './settings/http.js';
import { jsonSettings } from './settings/json.js';
import { localizationSettings } from './settings/localization.js';
import { pageSettings } from './settings/pages.js';
import { logSettings } from './settings/log.js';
import { mailSettings } from './settings/mail.js';
import { maintenanceSettings } from './settings/maintenance.js';
import { oauthSettings } from './settings/oauth.js';
import { outboundSettings } from './settings/outbound.js';
import { passwordSettings } from './settings/passwords.js';
import { pathSettings } from './settings/paths.js';
import { registrationSettings } from './settings/registration.js';
import { restSettings } from './settings/rest.js';
import { scriptingSettings } from './settings/scripting.js';
import { securitySettings } from './settings/security.js';
import { serviceSettings } from './settings/services.js';
import { setupSettings } from './settings/setup.js';
import { tokenSettings } from './settings/tokens.js';
import { translationSettings } from './settings/translation.js';
import { twoFactorSettings } from './settings/two-factor.js';

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
  ...geocodingSettings,
  ...scriptingSettings,
  ...outboundSettings,
  ...localizationSettings,
  ...pageSettings,
  ...translationSettings,
  ...changelogSettings,
  ...serviceSettings,
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
