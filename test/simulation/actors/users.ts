import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod';
import type { ActOnAlertPorts } from '#functions/act-on-alert/ports.ts';
import type { ManageChannelsPorts } from '#functions/manage-channels/ports.ts';
import {
  deleteWatchlist,
  nextRevision,
  replaceWatchlist,
} from '#functions/serve-api/watchlists/change-watchlist.ts';
import type { ManageWatchlistsPorts } from '#functions/serve-api/watchlists/ports.ts';
import { isOfEpisode, Silences } from '#shared/domain/alerting/acknowledgement.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { clockOf, Metric, seriesOfMetric } from '#shared/domain/metrics/metric.ts';
import { omit } from '#shared/domain/omit.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import { ContactPointError } from '#shared/domain/watchlists/quota-usage.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { WatchlistBody } from '#shared/domain/watchlists/watchlist-body.ts';
import { acknowledgeEpisode } from '#shared/use-cases/acknowledge-episode.ts';
import { addMute, liftMute } from '#shared/use-cases/change-mutes.ts';
import { BATCH_SIZE } from '#test/simulation/invariants/channel-invariants.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import type { Wallets } from '#test/simulation/services/wallets.ts';
import { BY, own } from '#test/support/own.ts';
import { createComparer } from './compared-lists.ts';
import { createHoldings } from './holdings.ts';
import { endOf, newRule, type RuleBody, type Workload } from './rule-bodies.ts';
import { createValuer } from './valued-lists.ts';

/** The ports of all functions that serve requests of people. */
export type UserPorts = ManageWatchlistsPorts &
  ManageChannelsPorts & {
    /** The ports of `act-on-alert`, which serves the links in messages. */
    readonly links: ActOnAlertPorts;
    /** Sends a request to the function that serves its route. */
    readonly ask: (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;
  };

/** One request of a person to the API. */
export type Action = {
  readonly name: string;
  readonly by: WatchlistId;
  /** The function that handles the request, unless it is `serve-api`. */
  readonly via?: 'manage-channels' | 'act-on-alert';
  readonly work: (ports: UserPorts) => Promise<unknown>;
};

type Body = z.input<typeof WatchlistBody>;

/** A text that only one tenant's people and channels may ever see. */
export const canaryOf = (tenant: string) => `canary-of-${tenant}`;

/** The secrets of the channels of a list. */
export const secretsOf = ({ tenant, id }: WatchlistId) => ({
  signing: `whsec_${Buffer.alloc(24, tenant + id).toString('base64')}`,
  discord: `https://discord.com/api/webhooks/1/${`${tenant}${id}`.replaceAll(/[-~]/g, '')}`,
});

/** Random decisions of people, with a separate random generator for quiet hours. */
type PeopleWorkload = Workload & { readonly quiet: Stream };

/** A user that maintains a list: writes it, edits it, mutes it, acknowledges its alerts. */
export function createUser(
  list: WatchlistId,
  contracts: readonly ContractKey[],
  {
    wallets,
    escalations,
    ratios,
    holdings,
    values,
    ...workload
  }: PeopleWorkload & {
    readonly wallets: WalletChoice;
    readonly escalations: Stream;
    readonly ratios: Stream;
    readonly holdings: Stream;
    readonly values: Stream;
  },
  start: Instant,
) {
  const hasWallet = wallets.stream.happens(0.1);
  const ofWallet = (written: Body): Body =>
    hasWallet ? withWallet(written, contracts, wallets) : written;
  const leftAlone = (written: Body): Body =>
    workload.quiet.happens(0.4) ? withQuiet(written, workload.quiet) : written;
  const first = routed(fitting(ofWallet(newBody(list, contracts, workload, start))), workload, 0.4);
  const compared = createComparer(canaryOf(list.tenant), ratios);
  const plain = leftAlone(escalating(first, escalations, 0.5));
  let [body, whole] = [plain, compared(plain)];
  const held = createHoldings(contracts, holdings);
  const valued = createValuer(canaryOf(list.tenant), values);
  let muted = 0;
  let hasJustMuted = false;
  return {
    writes: (): Action => {
      const written = valued(held.added(whole));
      return { name: 'write', by: list, work: (ports) => write(ports, list, written) };
    },

    acts: (now: Instant): Action => {
      // Half of the mutes are followed by an edit, which must not lose held alerts.
      const act = hasJustMuted && workload.happens(0.5) ? 'edit' : workload.pick(ACTS);
      hasJustMuted = act === 'mute';
      if (act === 'edit') {
        const next = edited(body, list, contracts, workload, now);
        const fit = fitting(wallets.stream.happens(0.3) ? ofWallet(next) : next);
        body = leftAlone(escalating(routed(fit, workload, 0.1), escalations, 0.1));
        held.change();
        whole = compared(body);
        const written = valued(held.added(whole));
        return { name: act, by: list, work: (ports) => write(ports, list, written) };
      }
      if (act === 'mute') {
        muted += 1;
        return mutes(list, contracts, body, `mute-${muted}`, now, workload);
      }
      if (act === 'lift') {
        const last = `mute-${muted}`;
        return {
          name: act,
          by: list,
          work: (ports) => liftMute(ports, BY, own(list), last, ports.now()),
        };
      }
      if (act === 'acknowledge') return acknowledges(list, contracts, body, workload);
      return { name: act, by: list, work: (ports) => remove(ports, list) };
    },
  };
}

const ACTS = ['edit', 'edit', 'edit', 'mute', 'lift', 'acknowledge', 'delete'] as const;

/** The wallets from which a list may be made, and the random generator for choosing among them. */
export type WalletChoice = { readonly addresses: Wallets['addresses']; readonly stream: Stream };

/**
 * Makes a list from a wallet, or sometimes without one. The list also names contracts that the
 * wallet may hold.
 */
function withWallet(
  { wallet: _before, ...body }: Body,
  contracts: readonly ContractKey[],
  { addresses, stream }: WalletChoice,
): Body {
  const written = { ...body, contracts: contracts.filter(() => stream.happens(0.2)) };
  return stream.happens(0.8) ? { ...written, wallet: stream.pick(addresses) } : written;
}

/** A user that maintains the contact points of a tenant, which its lists use. */
export function createContactPointKeeper(tenant: string, workload: PeopleWorkload) {
  const list = { tenant, id: CONTACT_POINTS };
  const all = () => ({ ...NO_SERIES, channels: contactPoints(list, workload) });
  return {
    writes: (): Action => {
      const body = all();
      return { name: 'keep contact points', by: list, work: (ports) => write(ports, list, body) };
    },
    removes: (): Action => {
      const body = all();
      const name = workload.pick(CONTACT_POINT_IDS);
      const work = async (ports: UserPorts) => {
        const channels = body.channels.filter(({ id }) => id !== name);
        try {
          await write(ports, list, { ...body, channels });
        } catch (error) {
          if (!(error instanceof ContactPointError)) throw error;
        }
      };
      return { name: 'remove contact point', by: list, work };
    },
  };
}

const NO_SERIES = { name: 'Contact points', contracts: [], rules: [] };
const CONTACT_POINT_IDS = ['tenant-desk', 'tenant-bot', 'tenant-team'] as const;

function contactPoints(list: WatchlistId, workload: PeopleWorkload) {
  return ownChannels(list, workload).map((channel) => ({ ...channel, id: `tenant-${channel.id}` }));
}

/** Replaces a list, whatever its current revision. */
export async function write(ports: ManageWatchlistsPorts, list: WatchlistId, body: Body) {
  const before = await ports.getWatchlist(own(list));
  const after = await nextRevision(ports, own(list), before, WatchlistBody.parse(body));
  return await replaceWatchlist(ports, BY, before, after);
}

async function remove(ports: ManageWatchlistsPorts, list: WatchlistId) {
  const before = await ports.getWatchlist(own(list));
  if (before !== undefined && !before.deleted) await deleteWatchlist(ports, BY, own(before));
}

function mutes(
  list: WatchlistId,
  contracts: readonly ContractKey[],
  body: Body,
  id: string,
  now: Instant,
  workload: Workload,
): Action {
  const rule = workload.happens(0.5) ? workload.pick(body.rules ?? []).id : undefined;
  const contract = workload.happens(0.3) ? workload.pick(contracts) : undefined;
  const mute = {
    ...{ id, by: BY },
    from: now,
    until: now + workload.between(2, 20) * MINUTE,
    ...(rule === undefined ? {} : { rule }),
    ...(contract === undefined ? {} : { contract }),
  };
  return { name: 'mute', by: list, work: (ports) => addMute(ports, BY, own(list), mute, 20) };
}

function acknowledges(
  { tenant, id }: WatchlistId,
  contracts: readonly ContractKey[],
  body: Body,
  workload: Workload,
): Action {
  const rule = workload.pick(body.rules ?? []).id ?? '';
  const contract = workload.pick(contracts);
  const silences = workload.pick(Silences.options);
  const work = async (ports: ManageWatchlistsPorts) => {
    const watch = await ports.getWatch(own({ tenant, list: id, rule, contract }));
    if (watch?.state !== 'firing') return;
    const { entries } = await ports.alertsOf(own({ tenant, id }), { limit: 50, after: undefined });
    const known = entries.find(({ alert }) => isOfEpisode(alert, watch));
    if (known !== undefined)
      await acknowledgeEpisode(ports, BY, known.alert, own(watch), { silences });
  };
  return { name: 'acknowledge', by: { tenant, id }, work };
}

function newBody(
  list: WatchlistId,
  contracts: readonly ContractKey[],
  workload: PeopleWorkload,
  start: Instant,
): Body {
  const rules = Array.from({ length: workload.between(1, 3) }, (_, index) =>
    newRule(`rule-${index}`, canaryOf(list.tenant), workload, start),
  );
  return fitting({
    id: list.id,
    name: canaryOf(list.tenant),
    contracts: contracts.filter((_, index) => index === 0 || workload.happens(0.6)),
    rules,
    channels: channels(list, workload),
  });
}

/**
 * Removes contracts with traits from a list unless all its rules are on floors from one source,
 * because nothing else is known about traits.
 */
function fitting(body: Body): Body {
  const isOfFloors = ({ metric = '', all = [], minSources }: RuleBody) => {
    const metrics = [metric, ...all.map((clause) => clause.metric)].filter((name) => name !== '');
    const series = metrics.flatMap((name) => seriesOfMetric(Metric.parse(name)));
    return minSources === undefined && series.every((name) => name === 'floor');
  };
  if (body.rules?.every(isOfFloors)) return body;
  const contracts = body.contracts?.filter(
    (contract) => !(typeof contract === 'string' && contract.includes('?')),
  );
  return { ...body, contracts };
}

/** Some contact points of the tenant, and some channels of the list itself. */
function channels(list: WatchlistId, workload: PeopleWorkload): NonNullable<Body['channels']> {
  return [
    ...CONTACT_POINT_IDS.filter(() => workload.happens(0.3)),
    ...ownChannels(list, workload).filter(() => workload.happens(0.5)),
  ];
}

/**
 * Routes some rules of a list to only some of its channels, and limits some to only some of its
 * contracts.
 */
function routed(body: Body, workload: Workload, share: number): Body {
  const ids = (body.channels ?? []).map((one) => (typeof one === 'string' ? one : (one.id ?? '')));
  const contracts = (body.contracts ?? []).filter((contract) => typeof contract === 'string');
  const some = <Name>(names: readonly Name[]) => names.filter(() => workload.happens(0.5));
  const among = (names: readonly string[] = []) => {
    const left = workload.happens(share) ? some(ids) : names.filter((name) => ids.includes(name));
    return left.length === 0 ? {} : { notify: left };
  };
  const onSome = (on: RuleBody['on'] = '*') => {
    const before = typeof on === 'string' ? [] : on.filter((one) => contracts.includes(one));
    const left = workload.happens(share / 2) ? some(contracts) : before;
    return left.length === 0 ? {} : { on: left };
  };
  const rules = (body.rules ?? []).map(({ notify, on, ...rule }) => ({
    ...rule,
    ...among(notify),
    ...onSome(on),
  }));
  const { notify: critical } = among(body.notify?.critical);
  const rest = omit(body, 'notify');
  return { ...rest, rules, ...(critical === undefined ? {} : { notify: { critical } }) };
}

/** Adds an escalation to some channels of a list, but never to all of them. */
function escalating({ escalate: before, ...body }: Body, stream: Stream, share: number): Body {
  const ids = (body.channels ?? []).map((one) => (typeof one === 'string' ? one : (one.id ?? '')));
  const wanted = stream.happens(share)
    ? { after: stream.pick(['1m', '2m', '5m', '15m']), to: ids.filter(() => stream.happens(0.4)) }
    : before;
  const to = wanted?.to.filter((id) => ids.includes(id)) ?? [];
  if (wanted === undefined || to.length === 0 || to.length === ids.length) return body;
  return { ...body, escalate: { ...wanted, to } };
}

function ownChannels(list: WatchlistId, workload: PeopleWorkload) {
  const place = workload.between(1, 2);
  return [
    {
      ...{ id: 'desk', kind: 'email', to: `desk${place}@${list.tenant}.example` },
      ...quietNowAndThen(workload.quiet),
    },
    {
      id: 'bot',
      kind: 'webhook',
      url: `https://${list.tenant}.example/${list.id}/${place}`,
      secrets: [secretsOf(list).signing],
      ...(place === 2 && { batchSize: BATCH_SIZE }),
    },
    {
      ...{ id: 'team', kind: 'discord', url: secretsOf(list).discord },
      ...quietNowAndThen(workload.quiet),
    },
  ] as const satisfies NonNullable<Body['channels']>;
}

/** Replaces the quiet hours of a list, or removes them. */
function withQuiet({ quiet: _before, timeZone: _zone, ...body }: Body, quiet: Stream): Body {
  const timeZone = quiet.happens(0.5) ? { timeZone: quiet.pick(Object.keys(TIME_ZONES)) } : {};
  return quiet.happens(0.7) ? { ...body, ...timeZone, quiet: [someHours(quiet)] } : body;
}

function quietNowAndThen(quiet: Stream) {
  return quiet.happens(0.3) ? { quiet: [someHours(quiet)] } : {};
}

/** UTC offsets in minutes; the simulated January has no summer time. */
export const TIME_ZONES: Readonly<Record<string, number>> = {
  ...{ UTC: 0, 'Europe/Berlin': 60, 'Asia/Kolkata': 330 },
};

/** Quiet hours that cover minutes of the simulated morning, in a random time zone. */
function someHours(quiet: Stream) {
  const timeZone = quiet.pick(Object.keys(TIME_ZONES));
  const begin = 12 * 60 + quiet.between(0, 100) + (TIME_ZONES[timeZone] ?? 0);
  const words = (minute: number) =>
    [Math.floor(minute / 60) % 24, minute % 60]
      .map((series) => `${series}`.padStart(2, '0'))
      .join(':');
  const severity = quiet.happens(0.2) ? { severity: quiet.pick(['info', 'warning'] as const) } : {};
  const hours = { from: words(begin), to: words(begin + quiet.between(5, 25)), ...severity };
  // Hours without a zone use the zone of the list. If that zone is not UTC, the hours fall at
  // another time.
  return timeZone === 'UTC' ? hours : { ...hours, timeZone };
}

const EDITS = [
  'rule',
  'words',
  'pause',
  'members',
  'channels',
  'repeatPolicy',
  'end',
  'silence',
] as const;
const REPETITIONS: readonly RuleBody['repeat'][] = ['every', 'once', { reminder: '7m' }];
const SILENCES: readonly RuleBody['noData'][] = ['keep', { alert: '4m' }, { alert: '9m' }];

/** Changes or removes the end of a rule, even if it has expired. */
function withEnd({ expiresAt: _before, ...rule }: RuleBody, workload: Workload, now: Instant) {
  const expiresAt = endOf(workload, now + workload.between(3, 30) * MINUTE);
  return workload.happens(0.7) ? { ...rule, expiresAt } : rule;
}

function edited(
  body: Body,
  list: WatchlistId,
  contracts: readonly ContractKey[],
  workload: PeopleWorkload,
  now: Instant,
): Body {
  const rules = body.rules ?? [];
  const index = workload.between(0, rules.length - 1);
  const change = (edit: (rule: RuleBody) => RuleBody): Body => ({
    ...body,
    rules: rules.map((rule, other) => (other === index ? edit(rule) : rule)),
  });
  switch (workload.pick(EDITS)) {
    case 'rule':
      return change(({ id }) => newRule(id ?? '', canaryOf(list.tenant), workload, now));
    case 'words':
      return change((rule) => ({ ...rule, severity: workload.pick(['info', 'critical']) }));
    case 'pause':
      return change((rule) => ({ ...rule, enabled: rule.enabled === false }));
    case 'repeatPolicy':
      return change((rule) =>
        rule.when === 'crosses' ? rule : { ...rule, repeat: workload.pick(REPETITIONS) },
      );
    case 'end':
      return change((rule) => withEnd(rule, workload, now));
    case 'silence':
      return change((rule) =>
        clockOf(rule.metric ?? '') !== undefined
          ? rule
          : { ...rule, noData: workload.pick(SILENCES) },
      );
    case 'members':
      return { ...body, contracts: contracts.filter(() => workload.happens(0.7)) };
    case 'channels':
      return { ...body, channels: channels(list, workload) };
  }
}
