import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import { CANARY_LIST } from '#shared/domain/market/canary.ts';
import type { Severity } from '#shared/domain/rules/severity.ts';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import type { Watchlist, WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import type { OperatorAlerts } from './operator-alerts.ts';

/** Identifies a channel: its list, and its id in the list. */
export type ChannelId = { readonly list: WatchlistId; readonly channel: string };

export function channelDestinationId({ tenant, id }: WatchlistId, channel: string): DestinationId {
  return `${tenant}#${id}#${channel}`;
}

/** The channel of a destination; undefined for the operators' destinations. */
export function channelOf(destinationId: DestinationId): ChannelId | undefined {
  const [tenant = '', id, channel] = destinationId.split('#');
  return id === undefined || channel === undefined ? undefined : { list: { tenant, id }, channel };
}

/**
 * The settings of the operators' destinations: whether they include Slack, and which alerts of
 * tenants they get.
 */
export type Operators = {
  readonly stackSlack: 'on' | 'off';
  readonly operatorAlerts: OperatorAlerts;
};

type Channelled = Pick<Watchlist, 'tenant' | 'id' | 'contactPoints' | 'notify' | 'escalate'> & {
  readonly channels: readonly { readonly id: string }[];
};

/** The members of a rule that decide which channels get its alerts. */
type Routed = { readonly severity: Severity; readonly notify?: readonly string[] | undefined };

/**
 * The destinations of a rule's alerts: the channels in the rule's `notify`; without it, those of
 * the list's `notify` for the rule's severity; without both, all channels that are not reserved for
 * escalation.
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

/**
 * The destinations of an alert without a rule: all channels that are not reserved for escalation.
 */
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

/** Whether a channel gets alerts without being named in a `notify`. */
function isOrdinary({ escalate }: Channelled, channel: string): boolean {
  return escalate?.to.includes(channel) !== true;
}

/** All destinations of a list, for alerts about channels. Operators always get these alerts. */
export function allDestinationIdsOf(
  list: Channelled,
  operators: Pick<Operators, 'stackSlack'>,
): readonly DestinationId[] {
  return [...operatorsOf(operators), ...channelsOf(list).map(({ destinationId }) => destinationId)];
}

/**
 * The operators' destinations, if operators get tenants' alerts of this severity. Empty for the
 * list of the canary.
 */
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
