/** Endpoint permissions, cross-origin settings, stored sessions (docs/interface/builtin-types.md 6, 7, docs/interface/security.md 10, 11). */
import type { TraitDefinition } from '../model/definitions.js';
import { key, keys, marker, namesOf, publicAndUi, str, trait } from './rows.js';

const corsSetting = [
  str('requestUri', '*!!'),
  str('acceptedOrigins', '*'),
  key('Integer', 'maxAge', '*'),
  ...keys('String', 'allowMethods* allowHeaders* allowCredentials* exposeHeaders*'),
  marker('isCorsSetting'),
];

const resourceAccess = [str('signature', '*!!'), key('Long', 'flags', '*!'), marker('isResourceAccess')];

const sessionDataNode = [
  // `userId` is ours: whose session it is.
  ...keys('String', 'sessionId* userId* cpath vhost'),
  key('Date', 'lastAccessed', '*'),
  key('Long', 'version'),
];

/** Ours: a login with another provider that has begun (`security/oauth/state.ts`). In no view: nobody need see it. */
const oauthLogin = [
  str('stateHash', '*'),
  ...keys('String', 'browserHash provider parameters redirectUri'),
  key('Date', 'expiresAt', '*'),
];

export const securityTraits: readonly TraitDefinition[] = [
  trait('CorsSetting', [], corsSetting, publicAndUi(namesOf(corsSetting))),
  trait('ResourceAccess', [], resourceAccess, publicAndUi(namesOf(resourceAccess))),
  trait('SessionDataNode', [], sessionDataNode, publicAndUi(namesOf(sessionDataNode))),
  trait('OAuthLogin', [], oauthLogin),
];
