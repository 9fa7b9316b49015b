/** Callers whom the token of another issuer describes and who are no users here (docs/interface/security.md 6.5). */
import type { Config } from '../../config/index.js';
import type { Graph } from '../../graph/index.js';
import { SUPERUSER_ID, type Actor } from '../../schema/index.js';
import { AccessError } from '../errors.js';
import type { Principals } from '../principals.js';

/** What an id may look like: it becomes part of keys, so nothing that separates. */
const ID = /^[^\s/\p{C}]{1,200}$/u;
/** Groups a token may name. */
const MOST_GROUPS = 1000;

type Claims = Readonly<Record<string, unknown>>;

export class ServicePrincipals {
  constructor(
    private readonly graph: Graph,
    private readonly principals: Principals,
    private readonly config: Config,
  ) {}

  /** The caller these claims describe. Throws `AccessError` 422 when they do not say who that is. */
  async of(claims: Claims): Promise<Actor> {
    const { config } = this;
    const idClaim = config.get('security.jwks.id.claim.key');
    const [id = ''] = words(claims[idClaim], false);
    if (!ID.test(id)) throw new AccessError(`The token has no usable claim ${idClaim}`, 422);
    // Rights are looked up by id: nobody may come as an object of the database, least of all as a user.
    if (id === SUPERUSER_ID || (await this.graph.read((tx) => tx.node(id))) !== undefined)
      throw new AccessError(`The claim ${idClaim} of the token names an object of this service`, 422);
    const [name = id] = words(claims[config.get('security.jwks.name.claim.key')], false);
    const groupClaim = config.get('security.jwks.group.claim.key');
    const references = groupClaim === '' ? [] : words(claims[groupClaim], false);
    if (references.length > MOST_GROUPS)
      throw new AccessError(`The claim ${groupClaim} of the token has too many elements`, 422);
    const groups = references.length === 0 ? [] : await this.principals.groupsOf(references);
    const isAdmin = this.#says(claims) || groups.some((group) => group.properties['isAdmin'] === true);
    return {
      id,
      name,
      isAdmin,
      isSuperuser: false,
      type: 'ServicePrincipal',
      groups: groups.map((group) => group.id),
      reachesAll: isAdmin,
      skipsSecurity: true,
    };
  }

  /** The claim of administrators holds the configured value: as such, as an element, or as a word. */
  #says(claims: Claims): boolean {
    const key = this.config.get('security.jwks.admin.claim.key');
    const value = this.config.get('security.jwks.admin.claim.value');
    return key !== '' && value !== '' && words(claims[key], true).includes(value);
  }
}

/** Elements of a claim; a text is one, and with `split` its words are some too (as in `scope`). */
function words(claim: unknown, split: boolean): string[] {
  if (Array.isArray(claim)) return claim.filter((one) => typeof one === 'string');
  if (typeof claim !== 'string' || claim === '') return [];
  return split ? [claim, ...claim.split(/\s+/)] : [claim];
}
