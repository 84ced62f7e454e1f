import type { APIGatewayProxyResult } from 'aws-lambda';
import { channelRoutes } from '#functions/manage-channels/routes.ts';
import { watchlistRoutes } from '#functions/serve-api/watchlists/routes.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { Route } from '#shared/http/route.ts';
import { anHttpRequest } from '#test/support/builders.ts';
import { newRule, type Workload } from './rule-bodies.ts';
import { type Action, canaryOf, type UserPorts } from './users.ts';

/** A request to the API and its response. */
export type Asked = {
  readonly tenant: string;
  readonly route: string;
  readonly status: number;
  readonly body: string;
};

export type ReadersWorld = {
  readonly now: () => Instant;
  readonly workload: Workload;
  readonly tenants: readonly string[];
  readonly contracts: readonly ContractKey[];
  readonly reported: (asked: Asked) => void;
  readonly broken: (invariant: string, what: string) => void;
};

type Request = NonNullable<Parameters<typeof anHttpRequest>[1]>;

const LIST = '/v1/watchlists/{watchlist}';
/** The operations of lists that take no body. */
const withoutBody = (method: string) =>
  Object.entries<Route>({ ...watchlistRoutes, ...channelRoutes }).flatMap(([route, { body }]) =>
    route.startsWith(`${method} `) && body.safeParse(undefined).success ? [route] : [],
  );
const READS = withoutBody('GET');
const ACTS = withoutBody('POST');

/**
 * Users that read their lists and alerts through the API, and sometimes request alerts and mutes of
 * others.
 */
export function createReaders(world: ReadersWorld) {
  const { now, workload, tenants, contracts, reported, broken } = world;
  /** Ids of the alerts and mutes that responses contained, by list. */
  const names = new Map<string, string[]>();
  const keys = new Map<string, number>();
  const namesOf = (kind: 'alert' | 'mute', { tenant, id }: WatchlistId) => {
    const path = `${kind} ${tenant} ${id}`;
    const known = names.get(path) ?? [];
    names.set(path, known);
    return known;
  };
  const pickName = (kind: 'alert' | 'mute', by: WatchlistId) => {
    const own = namesOf(kind, by).slice(-3);
    const isOwn = own.length > 0 && workload.happens(0.7);
    return workload.pick(isOwn ? own : ['none', ...[...names.values()].flat()]);
  };

  const ask = async (
    ports: UserPorts,
    by: WatchlistId,
    route: string,
    request: Request,
  ): Promise<APIGatewayProxyResult> => {
    const { tenant } = by;
    // The tenant of a request follows from its API key, whatever this header claims.
    const headers = { 'X-Tenant': workload.pick(tenants), ...request.headers };
    const event = anHttpRequest(route, { ...request, tenant, headers });
    const answer = await ports.ask(event);
    const { statusCode: status, body } = answer;
    reported({ tenant, route, status, body });
    remember(namesOf('alert', by), /"self":"[^"]*\/alerts\/([^"]+)"/.exec(body));
    remember(namesOf('mute', by), /"id":"(mute-[^"]+)"/.exec(body));
    return answer;
  };

  const reads = (by: WatchlistId): Action => {
    // Once alerts of the list are known, 30 % of the requests open one.
    const opens = namesOf('alert', by).length > 0 && workload.happens(0.3);
    const other = workload.pick(workload.happens(0.15) ? ACTS : READS);
    const route = opens ? `GET ${LIST}/alerts/{alert}` : other;
    const path = {
      watchlist: by.id,
      contract: workload.pick(contracts),
      rule: `rule-${workload.between(0, 2)}`,
      channel: workload.pick(['desk', 'bot', 'team']),
      alert: pickName('alert', by),
      mute: pickName('mute', by),
    };
    const via = route in channelRoutes ? ({ via: 'manage-channels' } as const) : {};
    // A failed request is repeated with the same key. Each tenant counts its keys from 1, so
    // tenants use equal keys.
    const key = (keys.get(by.tenant) ?? 0) + 1;
    keys.set(by.tenant, key);
    const headers = { 'Idempotency-Key': `"${key}"` };
    const work = async (ports: UserPorts) => {
      const { statusCode } = await ask(ports, by, route, { path, headers });
      if (statusCode === 422)
        broken(
          'equal idempotency keys of two tenants do not collide',
          `${by.tenant} ${key}: ${route}`,
        );
    };
    return { name: 'read', by, ...via, work };
  };

  /** A PUT of an unchanged list must change nothing, and must keep the secrets. */
  const writesBack = (by: WatchlistId): Action => ({
    name: 'write back',
    by,
    work: async (ports) => {
      const path = { watchlist: by.id };
      const read = await ask(ports, by, `GET ${LIST}`, { path });
      if (read.statusCode !== 200) return;
      const tag = String(read.headers?.ETag);
      const { id, revision, ...written } = JSON.parse(read.body);
      // The body contains only the members that a client may write.
      const { name, wallet, contracts, rules, channels, notify, ...others } = written;
      const { escalate, timeZone, quiet, report } = others;
      const said = { escalate, timeZone, quiet, report };
      const body = { id, name, wallet, contracts, rules, channels, notify, ...said };
      const headers = { 'If-Match': tag };
      const {
        statusCode,
        headers: reported = {},
        body: text,
      } = await ask(ports, by, `PUT ${LIST}`, {
        path,
        body,
        headers,
      });
      const isSame = statusCode === 200 && reported.ETag === `"${revision}"`;
      if (isSame || statusCode === 409 || statusCode === 412) return;
      broken(
        'a list can be written back as it was read',
        `${by.tenant} ${by.id}: ${statusCode} ${text}`,
      );
    },
  });

  /**
   * Changing one rule or contract of a list leaves the others unchanged, even with concurrent
   * writers.
   */
  const changesPart = (by: WatchlistId): Action => {
    const rule = `rule-${workload.between(0, 2)}`;
    const path = { watchlist: by.id, rule, contract: workload.pick(contracts) };
    const canary = canaryOf(by.tenant);
    const [route, body] = workload.pick([
      [`PUT ${LIST}/rules/{rule}`, newRule(rule, canary, workload, now())],
      [`PUT ${LIST}/contracts/{contract}`, { name: canary }],
      [`DELETE ${LIST}/rules/{rule}`, undefined],
      [`DELETE ${LIST}/contracts/{contract}`, undefined],
    ] as const);
    const headers: Request['headers'] = workload.happens(0.7) ? { 'If-Match': '*' } : {};
    const request = { path, headers, ...(body === undefined ? {} : { body }) };
    return { name: 'change part', by, work: (ports) => ask(ports, by, route, request) };
  };

  return (by: WatchlistId): Action =>
    workload.pick([writesBack, changesPart, ...Array.from({ length: 8 }, () => reads)])(by);
}

function remember(known: string[], found: RegExpExecArray | null): void {
  if (found?.[1] === undefined || known.includes(found[1])) return;
  known.push(found[1]);
  if (known.length > 20) known.shift();
}
