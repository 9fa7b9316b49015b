/** Users, groups and what they share (docs/interface/builtin-types.md 2, docs/interface/security.md 1). */
import type { RelationDefinition, TraitDefinition } from '../model/definitions.js';
import type { PropertyDefinition } from '../model/property.js';
import { falseByDefault, key, keys, marker, relation, str, trait, words } from './rows.js';

/** What logins leave behind: for the user himself and administrators, also where others read him in a view that has it. */
function own(definitions: readonly PropertyDefinition[]): PropertyDefinition[] {
  return definitions.map((definition) => ({ ...definition, ownOnly: true }));
}

export const principalTraits: readonly TraitDefinition[] = [
  trait(
    'Principal',
    [],
    [
      key('Boolean', 'isAdmin', '*r'),
      key('Boolean', 'blocked'),
      ...own(keys('StringArray', 'sessionIds* refreshTokens*')),
      str('sessionData'),
      str('eMail', '*u'),
      key('Password', 'password', '', { hidden: true }),
      ...own([...keys('Date', 'passwordChangeDate lastLoginDate'), key('Integer', 'passwordAttempts')]),
      str('twoFactorSecret', '', { hidden: true }),
      ...own([str('twoFactorToken', '*')]),
      ...keys('Boolean', 'isTwoFactorUser twoFactorConfirmed'),
      str('salt', '', { hidden: true }),
      ...keys('String', 'locale publicKey proxyUrl proxyUsername'),
      key('Encrypted', 'proxyPassword', '', { hidden: true }),
      key('StringArray', 'publicKeys'),
    ],
    { ui: ['blocked'] },
    { traitOnly: true },
  ),
  trait(
    'User',
    ['Principal'],
    [
      ...own([str('confirmationKey', '*')]),
      str('localStorage'),
      ...falseByDefault('skipSecurityRelationships*'),
      marker('isUser'),
    ],
    {
      public: ['isUser'],
      ui: words(`
        isUser confirmationKey homeDirectory workingDirectory skipSecurityRelationships img eMail groups isAdmin locale
        password proxyPassword proxyUrl proxyUsername publicKey sessionIds refreshTokens twoFactorToken isTwoFactorUser
        twoFactorConfirmed passwordAttempts passwordChangeDate lastLoginDate`),
    },
  ),
  trait('Group', ['Principal'], [str('name', '*!u'), str('jwksReferenceId', '*u'), marker('isGroup')], {
    public: words('isGroup members blocked'),
    ui: words('isGroup jwksReferenceId members'),
  }),
];

export const principalRelations: readonly RelationDefinition[] = [
  relation('GroupCONTAINSPrincipal', 'Group', 'CONTAINS', 'Principal', '*:*', {
    targetKey: 'members',
    sourceKey: 'groups',
  }),
];
