/** Who owns an object, and who was granted what on it, by name. No other modules: threads use it as well. */

export interface Holders {
  /** Name of the owner. */
  readonly owner: string | undefined;
  /** By name; `allowed` in the order read, write, delete, accessControl. */
  readonly grantees: readonly { readonly name: string; readonly allowed: readonly string[] }[];
}

/** What a grant says: the name of the principal, and its rights. */
export interface Grant {
  readonly name: unknown;
  readonly allowed: unknown;
}

const RIGHTS = ['read', 'write', 'delete', 'accessControl'];

/** Principals without a name, and grants of nothing, are left out. */
export function holdersNamed(owner: unknown, grants: readonly Grant[]): Holders {
  const grantees = grants.flatMap(({ name, allowed }) => {
    const list: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
    const rights = RIGHTS.filter((right) => list.includes(right));
    return typeof name === 'string' && rights.length > 0 ? [{ name, allowed: rights }] : [];
  });
  grantees.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { owner: typeof owner === 'string' ? owner : undefined, grantees };
}
