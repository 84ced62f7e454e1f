import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { CANARY_LIST } from '#shared/domain/market/canary.ts';
import type { Severity } from '#shared/domain/rules/severity.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { OperatorAlerts } from './operator-alerts.ts';

/** A channel's name everywhere. */
export type ChannelId = { readonly list: WatchlistId; readonly channel: string };

export function channelDestinationId({ tenant, id }: WatchlistId, channel: string): DestinationId {
  return `${tenant}#${id}#${channel}`;
}

/** The channel that a destination is; undefined for one of the operators'. */
export function channelOf(destinationId: DestinationId): ChannelId | undefined {
  const [tenant = '', id, channel] = destinationId.split('#');
  return id === undefined || channel === undefined ? undefined : { list: { tenant, id }, channel };
}

/** The operators, and which alerts of the tenants they want. */
export type Operators = {
  readonly stackSlack: 'on' | 'off';
  readonly operatorAlerts: OperatorAlerts;
};

type Channelled = Pick<Watchlist, 'tenant' | 'id' | 'contactPoints' | 'notify' | 'escalate'> & {
  readonly channels: readonly { readonly id: string }[];
};

/** The rule that an alert is about, as far as it names who gets its alerts. */
type Routed = { readonly severity: Severity; readonly notify?: readonly string[] | undefined };

/**
 * The destinations of alerts of a rule: the channels that it names, or its list for its severity, or
 * else all but those to which the list escalates.
 */
export function destinationIdsOfRule(
  list: Channelled,
  { severity, notify = list.notify?.[severity] }: Routed,
  operators: Operators,
): readonly DestinationId[] {
  return [
    ...operatorsFor(list, severity, operators),
    ...channelsOf(list).flatMap(({ id, destinationId }) =>
      (notify?.includes(id) ?? isOrdinary(list, id)) ? destinationId : [],
    ),
  ];
}

/** The destinations of an alert that is about no rule: all channels but those for escalation. */
export function destinationIdsOfList(
  list: Channelled,
  { severity }: Pick<Routed, 'severity'>,
  operators: Operators,
): readonly DestinationId[] {
  return [
    ...operatorsFor(list, severity, operators),
    ...channelsOf(list).flatMap(({ id, destinationId }) =>
      isOrdinary(list, id) ? destinationId : [],
    ),
  ];
}

/** The destinations to which a list escalates. */
export function destinationIdsOfEscalation(list: Channelled): readonly DestinationId[] {
  return channelsOf(list).flatMap(({ id, destinationId }) =>
    isOrdinary(list, id) ? [] : destinationId,
  );
}

/** Whether a channel gets alerts that no `notify` sends to it. */
function isOrdinary({ escalate }: Channelled, channel: string): boolean {
  return escalate?.to.includes(channel) !== true;
}

/** All destinations of a list: operators always learn what its channels do not get. */
export function allDestinationIdsOf(
  list: Channelled,
  operators: Pick<Operators, 'stackSlack'>,
): readonly DestinationId[] {
  return [...operatorsOf(operators), ...channelsOf(list).map(({ destinationId }) => destinationId)];
}

/** The operators, if they want alerts of tenants of a severity; of the canary they get none. */
function operatorsFor(
  { tenant, id }: Channelled,
  severity: Severity,
  operators: Operators,
): readonly DestinationId[] {
  if (tenant === CANARY_LIST.tenant && id === CANARY_LIST.id) return [];
  const { operatorAlerts } = operators;
  const isWanted =
    operatorAlerts === 'all' || (operatorAlerts === 'critical' && severity === 'critical');
  return isWanted ? operatorsOf(operators) : [];
}

function operatorsOf({ stackSlack }: Pick<Operators, 'stackSlack'>): readonly DestinationId[] {
  return stackSlack === 'on' ? ['stack-topic', 'stack-slack'] : ['stack-topic'];
}

/** The channels of a list: contact points of its tenant, and its own. */
function channelsOf({ tenant, id: list, contactPoints, channels }: Channelled) {
  return [
    ...contactPoints.map((id) => ({
      id,
      destinationId: channelDestinationId({ tenant, id: CONTACT_POINTS }, id),
    })),
    ...channels.map(({ id }) => ({
      id,
      destinationId: channelDestinationId({ tenant, id: list }, id),
    })),
  ];
}
