import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Actor } from '#shared/domain/access/actor.ts';
import { type ApiKeyRecord, apiKeyId, isLastAdmin } from '#shared/domain/access/api-key.ts';
import { KeyError } from '#shared/domain/access/key-error.ts';
import { permits, Scope } from '#shared/domain/access/scope.ts';
import { readDuration } from '#shared/domain/market/duration.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { answer } from '#shared/http/answer.ts';
import type { Caller, CallerTenant, Own } from '#shared/http/caller.ts';
import { withTag } from '#shared/http/entity-tag.ts';
import { ProblemError } from '#shared/http/problem.ts';
import { type HttpEvent, headerOf, invalidMembers, pathOf } from '#shared/http/request.ts';
import {
  type LinkRequest,
  publicBodyRoute,
  type Request,
  type Route,
  type Routes,
  route,
  routeOf,
} from '#shared/http/route.ts';
import { changeNow } from '#shared/use-cases/commit-change.ts';
import {
  createKey,
  type KeyPorts,
  type IssuedKey as MadeKey,
  revokeKey,
  rotateKey,
} from '#shared/use-cases/manage-keys.ts';
import { makeSignIn, redeemSignIn } from '#shared/use-cases/sign-in.ts';
import type { IssuedKey, KeyList, OwnKey, SignInCode } from './answers.ts';
import { keyView } from './key-view.ts';
import type { ManageKeysPorts } from './ports.ts';
import { KeyBody, RedemptionBody, RevocationQuery, RotationBody } from './requests.ts';

/** The operations by method and path: the keys of a tenant, and the caller's own key. */
export const keyRoutes = {
  'GET /v1/key': route({ scope: 'view', units: 'read' }, getOwnKey),
  'GET /v1/keys': route({ scope: 'admin', units: 'readAllLists' }, listKeys),
  'POST /v1/keys': route({ scope: 'admin', units: 'change', body: KeyBody }, makeKey),
  'POST /v1/keys/{key}/rotate': route(
    { scope: 'admin', units: 'change', body: RotationBody },
    replaceKey,
  ),
  'DELETE /v1/keys/{key}': route(
    { scope: 'admin', units: 'change', query: RevocationQuery },
    deleteKey,
  ),
  // Keys of public screens have only the scope `view`, so nobody can sign in from them.
  'POST /v1/sign-ins': route({ scope: 'read', units: 'change' }, makeCode),
  'POST /v1/sign-ins/redeem': publicBodyRoute({ body: RedemptionBody }, redeemCode),
} satisfies Routes<ManageKeysPorts, undefined>;

export async function manageKeys(
  ports: ManageKeysPorts,
  event: HttpEvent,
): Promise<APIGatewayProxyResult> {
  const answer = routeOf<Route<ManageKeysPorts, undefined>>(keyRoutes, event).check(event);
  refuseRepetition(event);
  try {
    return withTag(event, await answer(ports, undefined));
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw new ProblemError(error.message, { type: error.code, cause: error });
  }
}

/**
 * Rejects `Idempotency-Key`. The answer to a request with this header is stored for a day, but API
 * keys must never be stored.
 */
function refuseRepetition(event: HttpEvent): void {
  if (event.httpMethod !== 'POST' || headerOf(event, 'Idempotency-Key') === undefined) return;
  const detail =
    'Idempotency-Key is not supported here, because API keys are not stored; if you received no response, list the keys and revoke the new one';
  throw new ProblemError(detail, { type: 'invalid_request' });
}

/** The properties of the caller's key, so that a page can show its scopes. */
function getOwnKey(_ports: ManageKeysPorts, { caller: { tenant, scopes, key } }: Request) {
  return answer<OwnKey>(200, {
    id: key.id,
    name: key.name,
    tenant,
    scopes: Scope.options.filter((scope) => scopes.includes(scope)),
    may: Scope.options.filter((scope) => permits(scopes, scope)),
  });
}

async function listKeys(ports: ManageKeysPorts, { caller: { tenant } }: Request) {
  const { keys } = await ports.keys.ofTenant(tenant);
  const byAge = keys.toSorted((one, other) => other.createdAt - one.createdAt);
  return answer<KeyList>(200, { keys: byAge.map((key) => keyView(key, ports.now())) });
}

async function makeKey(ports: ManageKeysPorts, { caller, body }: Request<unknown, KeyBody>) {
  expectOwnScopes(caller, body.scopes);
  const now = ports.now();
  const issued = await createKey(keyPorts(ports, caller, now), {
    tenant: caller.tenant,
    name: body.name,
    scopes: Scope.options.filter((scope) => body.scopes.includes(scope)),
    expiresAt: futureOf(body.expiresAt, now),
  });
  return issuedAnswer(issued, now);
}

/**
 * Creates the successor of a key. The old key remains valid for a while, so that programs can be
 * changed.
 */
async function replaceKey(
  ports: ManageKeysPorts,
  { event, caller, body }: Request<unknown, RotationBody>,
) {
  const old = await existingKey(ports, caller, event);
  expectOwnScopes(caller, old.scopes);
  const now = ports.now();
  const { issued } = await rotateKey(keyPorts(ports, caller, now), old, {
    expiresAt: futureOf(body.expiresAt, now),
    overlap: readDuration(body.overlap) ?? 0,
  });
  return issuedAnswer(issued, now);
}

/** Revokes a key permanently. */
async function deleteKey(
  ports: ManageKeysPorts,
  { event, caller, query: { lastAdmin } }: Request<RevocationQuery>,
) {
  const old = await existingKey(ports, caller, event);
  const now = ports.now();
  await revokeKey(keyPorts(ports, caller, now), old, (current, all) => {
    if (lastAdmin || !isLastAdmin(current, all, now)) return;
    const detail =
      'this is the last key with the scope "admin"; without it only the operators of the stack can create keys. Create another such key first, or add ?lastAdmin=true';
    throw new ProblemError(detail, { type: 'in_use' });
  });
  return answer(204);
}

/** Creates a code with which another device signs in with the scopes of the caller's key. */
async function makeCode(ports: ManageKeysPorts, { caller }: Request) {
  const now = ports.now();
  const own = await keyWithId(ports, caller, caller.key.id);
  const { code, expiresAt } = await makeSignIn(keyPorts(ports, caller, now), own);
  return answer<SignInCode>(201, { code, expiresAt: formatInstant(expiresAt) });
}

/** Redeems a code for the key of a device. The audit log names the key that created the code. */
async function redeemCode(
  ports: ManageKeysPorts,
  { body: { code } }: LinkRequest<unknown, RedemptionBody>,
) {
  const now = ports.now();
  const issued = await redeemSignIn(
    {
      ...{ now, random: ports.random, keys: ports.allKeys },
      entriesBy: (maker) => entriesBy(ports, { id: apiKeyId(maker), name: maker.name }),
    },
    code,
  );
  return issuedAnswer(issued, now);
}

function keyPorts(
  ports: ManageKeysPorts,
  { key: by }: Caller,
  now: Instant,
): KeyPorts<CallerTenant> {
  return { ...ports, now, entryOf: entriesBy(ports, by) };
}

/** Creates the audit log entries of an actor's changes to keys. */
function entriesBy<Tenant extends string>(
  ports: ManageKeysPorts,
  by: Actor,
): KeyPorts<Tenant>['entryOf'] {
  return (key, kind) => {
    // Like contact points, keys belong to a tenant and not to a list.
    const owner = { tenant: key.tenant, id: CONTACT_POINTS };
    return changeNow(ports, owner, by, kind, { subject: apiKeyId(key) });
  };
}

async function existingKey(
  ports: ManageKeysPorts,
  caller: Caller,
  event: HttpEvent,
): Promise<Own<ApiKeyRecord>> {
  return await keyWithId(ports, caller, pathOf(event).key);
}

async function keyWithId(
  ports: ManageKeysPorts,
  { tenant }: Caller,
  id: string | undefined,
): Promise<Own<ApiKeyRecord>> {
  const { keys } = await ports.keys.ofTenant(tenant);
  const old = keys.find((key) => apiKeyId(key) === id);
  if (old === undefined) throw new ProblemError('there is no such key', { type: 'not_found' });
  return { ...old, tenant };
}

/** Rejects scopes that the caller's key does not have. */
function expectOwnScopes({ scopes: held }: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !permits(held, scope));
  if (missing.length === 0) return;
  const named = missing.map((scope) => `"${scope}"`).join(', ');
  throw new ProblemError(`your key lacks these scopes: ${named}`, {
    type: 'forbidden',
  });
}

function futureOf(moment: string | undefined, now: Instant): Instant | undefined {
  if (moment === undefined) return undefined;
  const instant = Date.parse(moment);
  if (instant > now) return instant;
  throw invalidMembers([{ path: ['expiresAt'], message: 'expected a time in the future' }]);
}

/** The only answer that contains a key. */
function issuedAnswer({ key, record }: MadeKey, now: Instant) {
  return answer<IssuedKey>(201, { ...keyView(record, now), key });
}
