import { type Alert, alertId, type Fact, NO_PRICE } from '#shared/domain/alerting/alert.ts';
import { fact, momentFact, worded } from '#shared/domain/alerting/alert-words.ts';
import { formatInstant, type Instant } from '#shared/domain/market/instant.ts';
import { isOfContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import type { WatchlistId } from '#shared/domain/watchlists/watchlist.ts';
import { type ChannelRecord, mustAnnounce } from './channel-record.ts';
import type { ChannelId } from './destination-id.ts';

/**
 * The alert to a list's other channels about a channel that is off or whose alerts are given up;
 * undefined if neither applies. Repeated calls return an alert with the same id.
 */
export function channelOffAlert(
  { list, channel }: ChannelId,
  record: ChannelRecord,
): Alert | undefined {
  const { off, failure, undelivered } = record;
  if (!mustAnnounce(record)) return undefined;
  if (off !== undefined) {
    return offAlert({ list, channel }, off.since, 'off', 'is off', [
      ...fact('Reason', off.reason),
      ...fact(
        'Next',
        'Change its address, or send a test. A successful test turns the channel on again.',
      ),
    ]);
  }
  if (failure?.givingUp !== undefined) {
    return offAlert(
      { list, channel },
      failure.givingUp.since,
      'given-up',
      'does not accept alerts',
      [
        ...fact('Reason', failure.reason),
        ...momentFact('Since', failure.since),
        ...fact(
          'Next',
          'Fix the channel, then send a test. Rejected alerts are dropped immediately; alerts that fail for other reasons are dropped after a day of retries. Later alerts are still sent.',
        ),
      ],
    );
  }
  if (undelivered === undefined) return undefined;
  return offAlert(
    { list, channel },
    undelivered.since,
    'undelivered',
    'does not receive its alerts',
    [
      ...fact('Reason', undelivered.reason),
      ...momentFact('Since', undelivered.since),
      ...fact(
        'Next',
        'New alerts are still sent. Fix the channel, then send a test. The watchlist still lists the undelivered alerts.',
      ),
    ],
  );
}

/** The alert to a list's other channels about a missing contact point. */
export function missingContactPointAlert(
  list: WatchlistId,
  contactPoint: string,
  since: Instant,
): Alert {
  return offAlert({ list, channel: contactPoint }, since, 'missing', 'is missing', [
    ...fact('Reason', `The contact point "${contactPoint}" was deleted.`),
    ...fact('Next', 'Create the contact point again, or use another one in the watchlist.'),
  ]);
}

function offAlert(
  { list, channel }: ChannelId,
  since: Instant,
  what: string,
  news: string,
  facts: readonly Fact[],
): Alert {
  const id = alertId({ ...aboutChannel(list, channel), contract: null }, since, what);
  const at = formatInstant(since);
  return {
    ...NO_PRICE,
    ...{ id, kind: 'channel_off', tenant: list.tenant, watchlist: list.id },
    ...{ dataTime: at, at, severity: 'warning' },
    title: isOfContactPoints(list)
      ? `Contact point "${channel}" ${news}`
      : `Channel "${channel}" of watchlist "${list.id}" ${news}`,
    facts: [...facts],
  };
}

/** A sample alert for testing a channel, marked as a test. */
export function sampleAlert({ list, channel }: ChannelId, number: number, now: Instant): Alert {
  const id = alertId({ ...aboutChannel(list, channel), contract: null }, number, 'test');
  const at = formatInstant(now);
  const sample = {
    ...NO_PRICE,
    ...{ id, kind: 'test' as const, tenant: list.tenant, watchlist: list.id },
    contract: 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
    name: 'CryptoPunks',
    ...{ metric: 'floor_price', when: 'below' as const, threshold: '60', unit: 'eth' },
    ...{ value: '59.9', previous: '61.25', usd: '181000.12' },
    ...{ dataTime: at, at, severity: 'info' as const },
  };
  const { title, facts } = worded(
    { ...sample, rule: 'sample', generation: 0 },
    { condition: 'at or below 60 ETH', conditions: ['floor price at or below 60 ETH'] },
  );
  const what = `sent through channel "${channel}", with sample prices`;
  return { ...sample, title: `Sample: ${title}`, facts: [...fact('Test', what), ...facts] };
}

/**
 * Identifies a channel in place of a rule. No rule can have this id, because it contains a space.
 */
function aboutChannel({ tenant, id }: WatchlistId, channel: string) {
  return { tenant, list: id, rule: `channel ${channel}` };
}
