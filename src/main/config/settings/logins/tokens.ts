import { httpUrl } from '../../checks.js';
import { choice, group, integer, password, path, string } from '../../setting.js';

/** Ten years: what is longer is a mistake in the unit. */
const LONGEST = 5_256_000;

export const tokenSettings = {
  ...group('security/JWT', {
    'security.jwt.secrettype': choice(
      'secret',
      ['secret', 'keypair', 'jwks'],
      'What tokens are signed with: a shared secret, a key pair, or the keys of another issuer',
    ),
    'security.jwt.secret': password('', 'Secret that tokens are signed with, at least 32 characters; empty: no tokens'),
    'security.jwt.jwtissuer': string('svc', 'Issuer of the tokens (claim iss); tokens of others are refused'),
    'security.jwt.audience': string('', 'Audience of the tokens (claim aud); empty: none, and none is asked for'),
    'security.jwt.expirationtime': integer(60, 'How long an access token holds (min)', { min: 1, max: LONGEST }),
    'security.jwt.refreshtoken.expirationtime': integer(1440, 'How long a refresh token holds (min)', {
      min: 1,
      max: LONGEST,
    }),
    'security.jwt.keystore': path('', 'File with the RSA key pair that tokens are signed with: PKCS#12 or PEM'),
    'security.jwt.keystore.password': password('', 'Password of that file'),
    'security.jwt.key.alias': string('', 'Name of the key pair in a PKCS#12 file; empty: the only one'),
  }),
  ...group('security/JWKS', {
    'security.jwks.provider': string(
      '',
      'URL of the key set of another issuer; its base URL while security.jwt.jwtissuer has its default',
      { check: httpUrl },
    ),
    'security.jwks.id.claim.key': string('oid', 'Claim with the id of a caller who is no user here'),
    'security.jwks.name.claim.key': string('oid', 'Claim with the name of such a caller'),
    'security.jwks.group.claim.key': string('', 'Claim with the groups of such a caller, by their jwksReferenceId'),
    'security.jwks.admin.claim.key': string('', 'Claim that can make such a caller an administrator'),
    'security.jwks.admin.claim.value': string('', 'Value of that claim that does'),
  }),
} as const;
