/** Who sits in front of the page: logging in and out (docs/interface/security.md 3.3, 5; docs/interface/admin-ui.md 2). */
import { ask, send } from '../../common/request.js';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly hasDocumentedPassword: boolean;
}

/** What everybody may know, and who is logged in. */
export interface State {
  readonly title: string;
  readonly instance: string;
  readonly stage: string;
  readonly providers: readonly string[];
  readonly hasConfiguration: boolean;
  readonly version?: string;
  readonly user?: User;
}

export const loadState = (): Promise<State> => ask<State>('ui/state');

/** What the second step of a login needs. */
export interface SecondStep {
  readonly token: string;
  /** A picture for the app, PNG as Base64; absent: the app knows the secret already. */
  readonly picture?: string;
}

/** Logs in; the second step when there is one. Throws `RefusedError`. */
export async function logIn(credentials: Readonly<Record<string, string>>): Promise<SecondStep | undefined> {
  const response = await send('login', { method: 'POST', body: new URLSearchParams(credentials) });
  const token = response.headers.get('token');
  if (response.status !== 202 || token === null) return undefined;
  const picture = response.headers.get('qrdata');
  // Base64 for URLs is no Base64 of pictures.
  return picture === null ? { token } : { token, picture: picture.replaceAll('-', '+').replaceAll('_', '/') };
}

export async function logOut(): Promise<void> {
  await send('logout', { method: 'POST', body: new URLSearchParams() });
}
