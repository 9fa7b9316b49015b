/** Why a login was refused (docs/interface/security.md 3.3), in words. */
import type { RefusedError } from '../../common/request.js';
import type { Translate } from '../texts/index.js';

/** Why a login was refused. */
export function whyRefused({ status, reason, message }: RefusedError, t: Translate): string {
  if (status === 0) return t('app.offline');
  if (status === 429) return t('login.tooMany');
  if (reason === 'loginAttempts') return t('login.locked');
  if (reason === 'passwordChangeRequired') return t('login.tooOld');
  if (reason === 'wrongTwoFactorCode') return t('login.wrongCode');
  if (reason === 'invalidTwoFactorToken') return t('login.expired');
  return status === 401 ? t('login.refused') : message;
}
