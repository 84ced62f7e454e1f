import type { Instant } from '#shared/domain/market/instant.ts';
import type { Item } from '#shared/stores/table.ts';
import { isOfGreedyTenant } from '#test/simulation/actors/greedy-tenant.ts';
import type { EventLog } from '#test/simulation/event-log.ts';
import type { Expansion } from '#test/simulation/expansion.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Market } from '#test/simulation/services/market.ts';
import { createAlertRecords } from './alert-records.ts';
import { type ApiKeyInvariants, createApiKeyInvariants } from './api-key-invariants.ts';
import { type ChannelInvariants, createChannelInvariants } from './channel-invariants.ts';
import { createDeliveryInvariants, type DeliveryInvariants } from './delivery-invariants.ts';
import { createDerivedInvariants, isDerived } from './derived-invariants.ts';
import { listDocument, type Revision } from './documents.ts';
import { createFairnessInvariants, type FairnessInvariants } from './fairness-invariants.ts';
import {
  createKeyedRequestInvariants,
  type KeyedRequestInvariants,
} from './keyed-request-invariants.ts';
import { createListInvariants } from './list-invariants.ts';
import { createMarketInvariants } from './market-invariants.ts';
import { createOpinionInvariants, type OpinionInvariants } from './opinion-invariants.ts';
import { createQuietInvariants } from './quiet-invariants.ts';
import { createRightsInvariants, type RightsInvariants } from './rights-invariants.ts';
import { createSecrecyInvariants, type SecrecyInvariants } from './secrecy-invariants.ts';
import { createSizeInvariants } from './size-invariants.ts';
import { createUpstreamInvariants, type UpstreamInvariants } from './upstream-invariants.ts';
import { createWalletInvariants } from './wallet-invariants.ts';
import { createWatchInvariants } from './watch-invariants.ts';

export type Invariants = {
  readonly delivering: DeliveryInvariants;
  readonly asking: UpstreamInvariants;
  readonly fairness: Pick<FairnessInvariants, 'asked'>;
  readonly arrived: ChannelInvariants['arrived'];
  readonly answered: ChannelInvariants['answered'];
  readonly rights: RightsInvariants;
  readonly secrecy: SecrecyInvariants;
  readonly keyedRequests: KeyedRequestInvariants;
  readonly apiKeys: ApiKeyInvariants;
  readonly floorAsked: OpinionInvariants['floorAsked'];
  readonly floorReported: ReturnType<typeof createMarketInvariants>['floorReported'];
  readonly secondAsked: OpinionInvariants['secondAsked'];
  readonly secondReported: OpinionInvariants['secondReported'];
  readonly valueReported: ReturnType<typeof createMarketInvariants>['valueReported'];
  readonly walletReported: ReturnType<typeof createWalletInvariants>['heard'];
  readonly written: (write: Written) => void;
  readonly reported: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Called when the system is idle, or did not become idle in time. */
  readonly atRest: (items: readonly Item[]) => void;
};

export function createInvariants(
  { met, broken }: EventLog,
  now: () => Instant,
  tenants: readonly string[],
  {
    limits,
    cadenceMinutes,
    isGreedy,
    second,
    floorTimes,
  }: Pick<Expansion, 'limits' | 'cadenceMinutes' | 'isGreedy' | 'second'> &
    Pick<Market, 'floorTimes'>,
): Invariants {
  const revisions = new Map<string, Revision[]>();
  const revisionsOf = (tenant: string, list: string) => revisions.get(`${tenant} ${list}`) ?? [];
  const watching = createWatchInvariants({
    now,
    broken,
    met,
    cadenceMinutes,
    revisionsOf,
    floorTimes,
  });
  const { expected } = watching;
  const delivering = createDeliveryInvariants({ broken, met, now, tenants, expected, revisionsOf });
  const reading = createChannelInvariants({ broken, met, now });
  const leaving = createQuietInvariants({ broken, met, now });
  const secrecy = createSecrecyInvariants({ broken, met, tenants });
  const keyedRequests = createKeyedRequestInvariants({ broken, met });
  const apiKeys = createApiKeyInvariants({ broken, met });
  const keeping = createListInvariants({ broken, now });
  const comparing = createMarketInvariants({ now, broken });
  const following = createWalletInvariants({ broken, met, now });
  const alertRecords = createAlertRecords();
  const measuring = createSizeInvariants(broken);
  const modest = isGreedy ? tenants : [];
  const fairness = createFairnessInvariants({ now, broken, modest, cadenceMinutes });
  const asking = createUpstreamInvariants(limits, now, broken);
  const askingSecond = second && createUpstreamInvariants(second.limits, now, broken);
  const derived = createDerivedInvariants(broken);
  const opinions = createOpinionInvariants({ now, broken, met, second });

  return {
    delivering,
    asking,
    fairness,
    rights: createRightsInvariants(broken),
    secrecy,
    keyedRequests,
    apiKeys,
    floorAsked: opinions.floorAsked,

    floorReported: (contract, outcome, by) => {
      comparing.floorReported(contract, outcome, by);
      opinions.floorReported(contract, by, outcome);
    },

    secondAsked: (contract, by) => {
      askingSecond?.asked(by);
      opinions.secondAsked(contract, by);
    },

    secondReported: (contract, by, answer) => {
      if (answer.kind === 'throttled') askingSecond?.throttled(by, answer.retryAfterSeconds ?? 0);
      opinions.secondReported(contract, by, answer);
    },

    valueReported: comparing.valueReported,
    walletReported: following.heard,
    answered: reading.answered,

    arrived: (destinationId, notification, by) => {
      delivering.arrived(destinationId, notification, by);
      reading.arrived(destinationId, notification, by);
      leaving.arrived(destinationId, notification, by);
    },

    written: (write) => {
      measuring.written(write);
      keeping.written(write);
      const { pk, sk } = write.key;
      if (pk === 'UPSTREAM' && sk === 'CADENCES') fairness.cadencesWritten(write);
      if (isOfGreedyTenant(write.key)) return;
      if (pk.startsWith('CONTRACTS#')) {
        watching.contractWritten(write);
        derived.contractWritten(write);
        if (!isDerived(sk)) opinions.contractWritten(write);
        fairness.contractWritten(write);
        asking.contractWritten(write);
      }
      if (pk === 'KEYS') apiKeys.keyWritten(write);
      if (pk.startsWith('HISTORY#')) watching.historyWritten(write);
      if (pk.startsWith('WATCHES#')) {
        watching.watchWritten(write);
        delivering.watchWritten(write);
      }
      if (pk === 'UPSTREAM' && sk === `RATE_LIMITER#${limits.provider}`)
        asking.rateLimiterWritten(write);
      if (pk === 'UPSTREAM' && sk === 'RATE_LIMITER#coingecko')
        askingSecond?.rateLimiterWritten(write);
      if (sk.startsWith('MUTES#')) delivering.mutesWritten(write);
      if (sk.startsWith('ACK#')) delivering.acknowledgementWritten(write);
      if (pk.startsWith('JOBS#') && sk.startsWith('escalation#'))
        delivering.escalationWritten(write);
      if (pk.startsWith('LIST#')) {
        const joined = alertRecords.join(write);
        delivering.alertWritten(joined);
        reading.alertWritten(joined);
        following.alertWritten(joined);
      }
      if (pk.startsWith('INBOX#')) {
        leaving.inboxWritten(write);
        delivering.inboxWritten(write);
      }
      if (sk.startsWith('CHANNEL#')) {
        reading.channelWritten(write);
        leaving.channelWritten(write);
        delivering.channelWritten(write);
      }
      if (sk.startsWith('LIST#')) {
        reading.listWritten(write);
        leaving.listWritten(write);
        secrecy.listWritten(write);
        keyedRequests.listWritten(write);
        following.listWritten(write);
      }
      if (!sk.startsWith('LIST#') || write.after === undefined) return;
      const path = `${pk.slice('TENANT#'.length)} ${sk.slice('LIST#'.length)}`;
      const revision = { document: listDocument(write.after), writtenAt: now() };
      revisions.set(path, [...(revisions.get(path) ?? []), revision]);
    },

    reported: (event, fields) => {
      met(event);
      secrecy.logged(event, fields);
      if (event === 'watch_evaluation_failed')
        broken('every watch can be evaluated', String(fields.error));
    },

    atRest: (all) => {
      const items = all.filter((item) => !isOfGreedyTenant(item));
      fairness.atRest(items, asking.stoodStillUntil());
      watching.atRest(items);
      derived.atRest(items);
      delivering.atRest(items);
      keeping.atRest(items);
      keyedRequests.atRest(items);
      apiKeys.atRest(items);
      following.atRest(items);
      // A poll with an outdated cached record may miss a change. The next poll reports the change,
      // if the budget allows a poll today.
      if (!asking.isSpent()) comparing.atRest(items);
      asking.atRest(items);
      reading.atRest();
    },
  };
}
