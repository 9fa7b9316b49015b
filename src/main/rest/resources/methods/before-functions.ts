/**
 * Endpoints of one segment that come before user-defined functions: a function of such a name has no address. All others of the
 * service give way to the function (docs/interface/rest.md 1.2). Router and OpenAPI document go by this.
 */
export const BEFORE_FUNCTIONS: ReadonlySet<string> = new Set(['cypher', 'resolver', '_env', 'stats']);
