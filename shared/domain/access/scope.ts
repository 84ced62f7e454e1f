import * as z from 'zod';

/**
 * What a key lets its holder do: `view` is for screens on a wall, which show prices, watches and
 * alerts and no lists; `read` is that and the rest; `admin` is all that a tenant may do, keys
 * included. `operate` is apart: it shows the stack, on which all tenants are.
 */
export const Scope = z.enum(['view', 'read', 'write', 'admin', 'operate']);
export type Scope = z.output<typeof Scope>;

/** The scopes that let one do what a scope is for. */
const GIVEN_BY: Readonly<Record<Scope, readonly Scope[]>> = {
  view: ['view', 'read', 'admin'],
  read: ['read', 'admin'],
  write: ['write', 'admin'],
  admin: ['admin'],
  operate: ['operate'],
};

/** Whether a key with some scopes may do what one is for. */
export function permits(held: readonly string[], scope: Scope): boolean {
  return GIVEN_BY[scope].some((one) => held.includes(one));
}
