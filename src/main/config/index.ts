/** Settings: one catalogue, `svc.conf`, the environment (specification, Configuration). */
export { Config, settingProblem, type ConfigCopy, type SettingChange, type SettingSource } from './config.js';
export {
  describeSetting,
  findSettingName,
  settingNames,
  type PathSettingName,
  type SettingName,
  type SettingValueOf,
  type SettingValues,
} from './catalogue.js';
export { ConfigError, type Problem, type ProblemKind } from './errors.js';
export { fromEnvironmentName, toEnvironmentName } from './environment.js';
export { logFileOf } from './log-file.js';
export { isSecretSetting, looksSecret } from './secret-names.js';
export { oauthProviders, type OAuthProvider } from './settings/logins/oauth.js';
export type { Grouped, Setting, SettingType, SettingValue } from './setting.js';
