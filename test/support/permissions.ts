/** The one builder of endpoint permissions. */
import type { Client } from './client.js';

const BITS = {
  user: { GET: 1, PUT: 2, POST: 4, DELETE: 8, OPTIONS: 256, HEAD: 1024, PATCH: 4096 },
  anonymous: { GET: 16, PUT: 32, POST: 64, DELETE: 128, OPTIONS: 512, HEAD: 2048, PATCH: 8192 },
} as const;

export type Method = keyof (typeof BITS)['user'];

/** Flags that let users, or everybody else, use these methods. */
export function flagsFor(who: keyof typeof BITS, methods: readonly Method[]): number {
  return methods.reduce((flags, method) => flags | BITS[who][method], 0);
}

/** Permits methods on a signature, by an object all of those may read; returns its uuid. */
export function allow(
  admin: Client,
  signature: string,
  who: keyof typeof BITS,
  methods: readonly Method[],
): Promise<string> {
  return admin.create('ResourceAccess', {
    signature,
    flags: flagsFor(who, methods),
    visibleToPublicUsers: who === 'anonymous',
    visibleToAuthenticatedUsers: who === 'user',
  });
}
