import type { JsonObject } from '../../../shared/json/index.js';

/** Who hears of logins when they have happened (docs/interface/security.md 12); nothing here waits for less, and nothing ever rejects. */
export interface LoginListener {
  /** A session has begun, or tokens were issued for credentials. */
  loggedIn(userId: string): Promise<void>;
  /** A session has ended, by a logout or by its age. */
  loggedOut(userId: string): Promise<void>;
  /** After `loggedIn`, of a login with another provider. `userInfo` asks the provider for what it knows of the user. */
  byOAuth(userId: string, provider: string, userInfo: () => Promise<JsonObject>): Promise<void>;
}

/** Where the room finds the listener, once it is there. */
export interface LoginListenerPlace {
  listener: LoginListener | undefined;
}
