import * as z from 'zod';

/**
 * The permissions of a key. `view` shows prices, watches and alerts but no lists, for public
 * screens. `read` adds everything else that can be read. `admin` allows all that a tenant may do,
 * including keys. `operate` is separate: it shows the stack, which all tenants share.
 */
export const Scope = z.enum(['view', 'read', 'write', 'admin', 'operate']);
export type Scope = z.output<typeof Scope>;

/** For each scope, the scopes that grant it. */
const GIVEN_BY: Readonly<Record<Scope, readonly Scope[]>> = {
  view: ['view', 'read', 'admin'],
  read: ['read', 'admin'],
  write: ['write', 'admin'],
  admin: ['admin'],
  operate: ['operate'],
};

/** Whether a key with the given scopes has a permission. */
export function permits(held: readonly string[], scope: Scope): boolean {
  return GIVEN_BY[scope].some((one) => held.includes(one));
}
