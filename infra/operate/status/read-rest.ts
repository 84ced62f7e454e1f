import type { EmailSending } from '#infra/operate/account/email-sending.ts';
import type { OperatorTopics } from '#infra/operate/account/operator-topics.ts';
import type { Stack } from '#infra/operate/stack.ts';
import type { DestinationId } from '#shared/domain/alerting/destination-id.ts';
import type { InboxEntry } from '#shared/domain/channels/alert-record.ts';
import { channelOf } from '#shared/domain/channels/destination-id.ts';
import { DAY, earliest, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import type { Timer } from '#shared/domain/messages/timer.ts';
import { type ContractRecord, newestOf, seriesIn } from '#shared/domain/polling/contract-record.ts';
import { dataAge, isSilent } from '#shared/domain/polling/data-age.ts';
import { refusalInWords } from '#shared/domain/polling/series-health.ts';
import { createContractStore } from '#shared/stores/contract-store.ts';
import { createDueStore } from '#shared/stores/due-store.ts';
import { createInboxStore } from '#shared/stores/inbox-store.ts';
import type { Table } from '#shared/stores/table.ts';
import { inGroups } from '#shared/use-cases/in-groups.ts';
import { findUnreadableLists } from './unreadable-lists.ts';

/** The state in a stack's table that the API does not return. */
export type TableState = Awaited<ReturnType<typeof readTableState>>;

/** The state in the account of a deployed stage. */
export type AccountState = {
  /** The limits of SES; null if SNS sends all emails. */
  readonly emails: EmailSending | null;
  /** The subscribers of alarms; null if the stage has no such topics. */
  readonly operators: OperatorTopics | null;
  /**
   * The time at which a message of the canary last returned; null if the stage has no queue for it.
   */
  readonly canary: { readonly lastAt: string | null } | null;
};

/** Maximum number of timers read per shard: a longer backlog is reported as a problem anyway. */
const PER_SHARD = 250;
const AT_ONCE = 25;
const SHOWN = 5;

export async function readTableState(table: Table, now: Instant) {
  const { due } = createDueStore(table);
  const [registry, overdue, all, lists] = await Promise.all([
    createContractStore(table, () => now).all(),
    due(now, PER_SHARD),
    // All timers, due or not: a channel has a timer as long as alerts wait for it.
    due(now + 400 * DAY, PER_SHARD),
    findUnreadableLists(table),
  ]);
  return {
    data: dataOf(registry.records, now),
    channels: await waitingChannels(createInboxStore(table).oldest, all.timers),
    /** The number of overdue change timers: jobs, topics, expiries. */
    pendingChanges: overdue.timers.filter(({ kind }) => kind === 'job').length,
    unreadable: [...registry.unreadable, ...overdue.unreadable, ...lists],
  };
}

export async function readAccountState({ account, stage }: Stack): Promise<AccountState> {
  if (account === undefined) return { emails: null, operators: null, canary: null };
  const { name, emailSender, operatorEmails } = await stage();
  const [emails = null, operators = null, canary] = await Promise.all([
    emailSender === undefined ? undefined : account.emailSending(emailSender),
    account.operatorTopics(name, operatorEmails),
    account.lastReturn(name),
  ]);
  return { emails, operators, canary: canary ? { lastAt: momentOf(canary.lastAt) } : null };
}

function dataOf(records: readonly ContractRecord[], now: Instant) {
  const { freshest, oldest, ...counts } = dataAge(records, now);
  const ofOldest = records.find((record) => newestOf(record, 'floor')?.time === oldest);
  return {
    ...counts,
    freshest: momentOf(freshest),
    oldest: momentOf(oldest),
    /** The contract with the most outdated floor. */
    oldestContract: (oldest === undefined ? undefined : ofOldest?.contract) ?? null,
    /** At most `SHOWN` of the contracts without a usable response. */
    silentContracts: records
      .filter((record) => isSilent(record, now))
      .slice(0, SHOWN)
      .map((record) => ({ contract: record.contract, why: whySilent(record) })),
    /**
     * At most `SHOWN` of the price series whose responses contained skipped records in the last
     * day.
     */
    skipped: records
      .flatMap((record) =>
        seriesIn(record).flatMap(([series, { skipped }]) =>
          skipped !== undefined && now - skipped.at < DAY
            ? [{ contract: record.contract, series, records: skipped.records }]
            : [],
        ),
      )
      .slice(0, SHOWN),
  };
}

function whySilent(record: ContractRecord): string {
  const silent = seriesIn(record).find(([, { noDataSince }]) => noDataSince !== undefined);
  if (silent === undefined) return '';
  const [series, { outcome = '', reason }] = silent;
  return `${series}: ${refusalInWords(outcome, reason).reason}`;
}

/** The channels with undelivered alerts, and the time of the oldest one. */
async function waitingChannels(
  oldestInInbox: (id: DestinationId, limit: number) => Promise<readonly InboxEntry[]>,
  timers: readonly Timer[],
) {
  const ids = timers.flatMap((timer) => (timer.kind === 'channel' ? [timer.destinationId] : []));
  const oldest = (await inGroups(ids, AT_ONCE, (id) => oldestInInbox(id, 1))).flat();
  const sinceOf = (entries: readonly InboxEntry[]) =>
    momentOf(earliest(entries.map(({ alert }) => Date.parse(alert.at))));
  return {
    count: oldest.length,
    since: sinceOf(oldest),
    /** The time of the oldest undelivered alert in the operators' own channels. */
    operatorsSince: sinceOf(
      oldest.filter(({ destinationId }) => channelOf(destinationId) === undefined),
    ),
  };
}
