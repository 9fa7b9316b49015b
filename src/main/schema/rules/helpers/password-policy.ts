/** What passwords have to be like (docs/interface/security.md 4.4). */
import { SchemaError, type ErrorToken } from '../../model/errors.js';
import type { PasswordPolicy } from '../../writing/policies.js';

/** Throws `SchemaError` with everything that is wrong with a password; no password is an empty one. */
export function mustBeComplex(password: string, policy: PasswordPolicy | undefined, isNew: boolean): void {
  const rules = policy?.complexity;
  if (rules === undefined) return;
  const tokens: ErrorToken[] = [];
  const refuse = (token: string, detail?: number): void => {
    tokens.push({ type: 'User', property: 'password', token, ...(detail === undefined ? {} : { detail }) });
  };
  // Characters, not the code units that JavaScript counts.
  if ([...password].length < rules.minLength) refuse('must_be_longer_than', rules.minLength);
  if (rules.upperCase && !/[A-Z]/.test(password)) refuse('must_contain_uppercase');
  if (rules.lowerCase && !/[a-z]/.test(password)) refuse('must_contain_lowercase');
  if (rules.digits && !/[0-9]/.test(password)) refuse('must_contain_digits');
  if (rules.nonAlphanumeric && !/[^A-Za-z0-9]/.test(password)) refuse('must_contain_non_alpha_numeric');
  if (tokens.length === 0) return;
  throw new SchemaError(
    `The password does not follow the password policy, so the user was not ${isNew ? 'created' : 'changed'}.`,
    tokens,
  );
}
