import { createHash } from 'node:crypto';
import * as z from 'zod';
import { formatApiKey, hashApiKey } from '#shared/domain/access/api-key.ts';
import type { Scope } from '#shared/domain/access/scope.ts';
import { alertId } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { formatInstant, MINUTE } from '#shared/domain/market/instant.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import type { Item } from '#shared/stores/table.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { putKey } from '#test/support/api-keys.ts';
import {
  APES,
  anAlert,
  anAnsweredRecord,
  aPostedAlert,
  aPrice,
  aRuleBody,
  aWatch,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import type { Answer, Interface } from './interface.ts';

/**
 * Three tenants with contact points, lists, rules, channels, mutes and alerts, some with the same
 * ids and some with unique ones. `constructor` is the name of a member that every object inherits.
 */
export const TENANTS = ['acme', 'globex', 'constructor'] as const;
export type Tenant = (typeof TENANTS)[number];

const SCOPES = {
  owner: ['read', 'write', 'admin'],
  reader: ['read'],
  operator: ['admin', 'operate'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;
export type Role = keyof typeof SCOPES;
export const ROLES = Object.keys(SCOPES) as readonly Role[];

/**
 * The API key of a tenant; it is derived from the names, so that a seed always sends the same
 * requests.
 */
export function keyOf(tenant: Tenant, role: Role = 'owner'): string {
  return formatApiKey(createHash('sha256').update(`${tenant} ${role}`).digest());
}

/** Texts that no response may contain. */
export const SECRETS = TENANTS.flatMap((tenant) => [
  ...ROLES.map((role) => keyOf(tenant, role)),
  slackOf(tenant),
  signingSecretOf(tenant),
]);

/** A contract that only this tenant watches. */
function contractOf(tenant: Tenant): ContractKey {
  const address = createHash('sha256').update(tenant).digest('hex').slice(0, 40);
  return ContractKey.parse(`eth:0x${address}`);
}

function slackOf(tenant: Tenant): string {
  return `https://hooks.slack.com/services/T000/B000/of${tenant}`;
}

function signingSecretOf(tenant: Tenant): string {
  return `whsec_${createHash('sha256').update(tenant).digest('base64')}`;
}

/** Values for path parameters, by parameter. */
export type Names = Readonly<Record<string, readonly string[]>>;
export type ThreeTenants = {
  readonly items: readonly Item[];
  readonly names: Readonly<Record<Tenant, Names>>;
};

/** Creates the resources of the tenants, as far as possible through the API. */
export async function makeTenants(http: Interface): Promise<ThreeTenants> {
  const contracts = createContractStore(http.table, () => NOON);
  for (const contract of [PUNKS, APES, ...TENANTS.map(contractOf)]) {
    const record = anAnsweredRecord('floor', aPrice('59.9'), { answeredAt: NOON });
    await contracts.put({ ...record, contract, version: 0 });
  }
  const names = await Promise.all(TENANTS.map((tenant) => makeTenant(http, tenant)));
  const [acme, globex, third] = names;
  if (!(acme && globex && third)) throw new Error('a tenant is missing');
  return { items: http.items(), names: { acme, globex, constructor: third } };
}

const Log = z.object({ changes: z.array(z.object({ id: z.string() })).min(1) });

async function makeTenant(http: Interface, tenant: Tenant): Promise<Names> {
  for (const role of ROLES) {
    const hash = hashApiKey(keyOf(tenant, role));
    const record = { hash, version: 0, tenant, name: role, scopes: SCOPES[role], createdAt: NOON };
    await putKey(createApiKeyStore(http.table), record);
  }
  // No request is sent with this key, so a test request may revoke it.
  const key = await askAs(http, tenant, 'POST', '/v1/keys', {
    name: `Key of ${tenant}`,
    scopes: ['read'],
  });
  expectStatus(key, 201);
  const channels = [
    { id: 'desk', kind: 'email', to: `desk@${tenant}.example` },
    { id: 'chat', kind: 'slack', url: slackOf(tenant) },
    {
      id: `hook-${tenant}`,
      kind: 'webhook',
      url: `http://127.0.0.1:9/${tenant}`,
      secrets: [signingSecretOf(tenant)],
    },
  ];
  const pager = { id: 'pager', kind: 'email', to: `pager@${tenant}.example` };
  for (const channel of [pager, ...channels]) {
    expectStatus(await askAs(http, tenant, 'POST', '/v1/channels', channel), 201);
  }
  const lists = ['punks', `only-${tenant}`];
  const mutes: string[] = [];
  const alerts: string[] = [];
  for (const list of lists) {
    const made = await askAs(http, tenant, 'POST', '/v1/watchlists', {
      id: list,
      name: `List of ${tenant}`,
      contracts: [
        { contract: PUNKS, name: `Punks of ${tenant}` },
        { contract: APES, name: `Apes of ${tenant}` },
        contractOf(tenant),
      ],
      rules: [
        aRuleBody({ repeat: { reminder: '1d' }, label: `Rule of ${tenant}` }),
        { id: `rule-${tenant}`, metric: 'floor_price', when: 'above', threshold: '90' },
      ],
      channels: ['pager', ...channels],
    });
    expectStatus(made, 201);
    const muted = await askAs(http, tenant, 'POST', `/v1/watchlists/${list}/mutes`, {
      for: '30d',
      reason: `Mute of ${tenant}`,
    });
    expectStatus(muted, 201);
    mutes.push(JSON.parse(muted.text).id);
    alerts.push(...(await makeHistory(http, tenant, list)));
  }
  const log = await askAs(http, tenant, 'GET', '/v1/changes');
  const { changes } = Log.parse(JSON.parse(log.text));
  return {
    watchlist: lists,
    change: changes.map(({ id }) => id),
    contract: [PUNKS, APES, contractOf(tenant)],
    rule: ['floor-60', `rule-${tenant}`],
    channel: ['desk', 'chat', `hook-${tenant}`],
    mute: mutes,
    key: [JSON.parse(key.text).id],
    alert: alerts,
    address: [PUNKS, ...http.collections].map((contract) => contract.slice('eth:'.length)),
    file: ['swagger-ui.css', 'swagger-ui-bundle.js'],
  };
}

/** Creates the watches of a list, one of them firing, and their alerts. */
async function makeHistory(http: Interface, tenant: Tenant, list: string) {
  const watches = createWatchStore(http.table);
  const alerts = createAlertStore(http.table);
  for (const contract of [PUNKS, APES]) {
    const firing = { state: 'firing', episode: 1, alerts: 1 } as const;
    const given = contract === PUNKS ? firing : {};
    await watches.put(aWatch({ tenant, list, contract, version: 0, ...given }));
  }
  const rule = 'floor-60';
  const reported = [APES, PUNKS].map((contract, index) =>
    anAlert({
      id: alertId({ tenant, list, rule, contract }, 1, 1),
      tenant,
      watchlist: list,
      contract,
      at: formatInstant(NOON + index * MINUTE),
      title: `Alert of ${tenant}`,
    }),
  );
  for (const alert of reported) {
    await alerts.post(aPostedAlert(alert, ['stack-topic']));
    // Another alert, about contact points, has the same id.
    await alerts.post(aPostedAlert({ ...alert, watchlist: CONTACT_POINTS }, ['stack-topic']));
  }
  return reported.map(({ at, id }) => `${at}~${id}`);
}

/** Sends a request with the key of a tenant. */
export async function askAs(
  http: Pick<Interface, 'ask'>,
  tenant: Tenant,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return await http.ask({
    method,
    path,
    headers: {
      'X-API-Key': keyOf(tenant),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function expectStatus({ status, text }: Answer, expected: number): void {
  if (status !== expected) throw new Error(`expected ${expected}, and found ${status}: ${text}`);
}
