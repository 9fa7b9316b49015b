/** The flags of a permission for an endpoint: a bit for each method and audience (docs/interface/security.md 10.1). */

/** In the order in which they are shown. */
export const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** Users who are logged in; everybody else. */
export const AUDIENCES = ['user', 'anonymous'] as const;
export type Audience = (typeof AUDIENCES)[number];

const BITS: Readonly<Record<Audience, Readonly<Record<Method, number>>>> = {
  user: { GET: 1, PUT: 2, POST: 4, DELETE: 8, OPTIONS: 256, HEAD: 1024, PATCH: 4096 },
  anonymous: { GET: 16, PUT: 32, POST: 64, DELETE: 128, OPTIONS: 512, HEAD: 2048, PATCH: 8192 },
};

/** The flag of the object that lets all of an audience read it, so that it counts for them. */
export const VISIBILITY = {
  user: 'visibleToAuthenticatedUsers',
  anonymous: 'visibleToPublicUsers',
} as const satisfies Record<Audience, string>;

export const isMethod = (text: string): text is Method => METHODS.some((method) => method === text);

export const flagsOf = (audience: Audience, methods: Iterable<Method>): number =>
  [...methods].reduce((flags, method) => flags | BITS[audience][method], 0);

export const has = (flags: number, audience: Audience, method: Method): boolean =>
  (flags & BITS[audience][method]) !== 0;

export const toggled = (flags: number, audience: Audience, method: Method, isOn: boolean): number =>
  isOn ? flags | BITS[audience][method] : flags & ~BITS[audience][method];
