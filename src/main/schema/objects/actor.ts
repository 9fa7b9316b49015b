import type { GraphEntity } from '../../graph/index.js';

/** Who acts in a transaction: a user of the graph, the superuser, or nobody. */
export interface Actor {
  /** Uuid; the superuser's 32 zeros; undefined for anonymous. */
  readonly id: string | undefined;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isSuperuser: boolean;
  /** Concrete type of the user's object, for messages. */
  readonly type: string;
}

export const SUPERUSER_ID = '00000000000000000000000000000000';

/** The service itself: start-up work and schedules. */
export const SYSTEM: Actor = {
  id: SUPERUSER_ID,
  name: 'superuser',
  isAdmin: true,
  isSuperuser: true,
  type: 'SuperUser',
};
export const ANONYMOUS: Actor = {
  id: undefined,
  name: 'anonymous',
  isAdmin: false,
  isSuperuser: false,
  type: 'anonymous',
};

/**
 * Decisions about single objects. The security room implements it; this room only asks. Until object access is
 * built, administrators may do everything and nobody else gets this far.
 */
export interface ObjectAccess {
  canRead(entity: GraphEntity): boolean;
  canWrite(entity: GraphEntity): boolean;
  canDelete(entity: GraphEntity): boolean;
}

export const ALLOW_ALL: ObjectAccess = { canRead: () => true, canWrite: () => true, canDelete: () => true };
