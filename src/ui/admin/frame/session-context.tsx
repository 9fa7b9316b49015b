/** Who is logged in, and what the service is called, for all areas. */
import { createContext, useContext } from 'react';
import type { State, User } from '../server/session.js';

export interface Session {
  readonly state: State;
  readonly user: User;
  /** Asks again who is logged in. */
  readonly again: () => void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession() stands outside of the frame');
  return session;
}
