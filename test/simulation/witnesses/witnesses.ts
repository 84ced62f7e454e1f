import type { Instant } from '#shared/domain/market/instant.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Chronicle } from '#test/simulation/chronicle.ts';
import type { Expansion } from '#test/simulation/expansion.ts';
import { isOfGreedyTenant } from '#test/simulation/people/greedy-tenant.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Market } from '#test/simulation/services/market.ts';
import { type ChannelWitness, createChannelWitness } from './channel-witness.ts';
import { createDeliveryWitness, type DeliveryWitness } from './delivery-witness.ts';
import { listDocument, type Revision } from './documents.ts';
import { createFairnessWitness, type FairnessWitness } from './fairness-witness.ts';
import { createListWitness } from './list-witness.ts';
import { createMarketWitness } from './market-witness.ts';
import { createOutboxWitness } from './outbox-witness.ts';
import { createRightsWitness, type RightsWitness } from './rights-witness.ts';
import { createSecrecyWitness, type SecrecyWitness } from './secrecy-witness.ts';
import { createSizeWitness } from './size-witness.ts';
import { createUpstreamWitness, type UpstreamWitness } from './upstream-witness.ts';
import { createWatchWitness } from './watch-witness.ts';

/** All who hold what happens against what must. */
export type Witnesses = {
  readonly delivering: DeliveryWitness;
  readonly asking: UpstreamWitness;
  readonly fairness: Pick<FairnessWitness, 'asked'>;
  readonly arrived: ChannelWitness['arrived'];
  readonly answered: ChannelWitness['answered'];
  readonly rights: RightsWitness;
  readonly secrecy: SecrecyWitness;
  readonly floorReported: ReturnType<typeof createMarketWitness>['floorReported'];
  readonly saleReported: ReturnType<typeof createMarketWitness>['saleReported'];
  readonly written: (write: Written) => void;
  readonly reported: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Hears that all has come to rest, or should have. */
  readonly atRest: (items: readonly Item[]) => void;
};

export function createWitnesses(
  { met, broken }: Chronicle,
  now: () => Instant,
  tenants: readonly string[],
  {
    limits,
    cadenceMinutes,
    isGreedy,
    floorTimes,
  }: Pick<Expansion, 'limits' | 'cadenceMinutes' | 'isGreedy'> & Pick<Market, 'floorTimes'>,
): Witnesses {
  const revisions = new Map<string, Revision[]>();
  const revisionsOf = (tenant: string, list: string) => revisions.get(`${tenant} ${list}`) ?? [];
  const watching = createWatchWitness({
    now,
    broken,
    met,
    cadenceMinutes,
    revisionsOf,
    floorTimes,
  });
  const { expected } = watching;
  const delivering = createDeliveryWitness({ broken, met, now, tenants, expected, revisionsOf });
  const { isPosted } = delivering;
  const holding = createOutboxWitness({ broken, met, isPosted });
  const reading = createChannelWitness({ broken, met, now });
  const secrecy = createSecrecyWitness({ broken, met, tenants });
  const keeping = createListWitness({ broken, now });
  const comparing = createMarketWitness({ now, broken });
  const measuring = createSizeWitness(broken);
  const modest = isGreedy ? tenants : [];
  const fairness = createFairnessWitness({ now, broken, modest, cadenceMinutes });
  const asking = createUpstreamWitness(limits, now, broken);

  return {
    delivering,
    asking,
    fairness,
    rights: createRightsWitness(broken),
    secrecy,
    floorReported: comparing.floorReported,
    saleReported: comparing.saleReported,
    answered: reading.answered,

    arrived: (destinationId, notification, by) => {
      delivering.arrived(destinationId, notification, by);
      reading.arrived(destinationId, notification, by);
    },

    written: (write) => {
      measuring.written(write);
      keeping.written(write);
      const { pk, sk } = write.key;
      if (pk === 'UPSTREAM' && sk === 'CADENCES') fairness.cadencesWritten(write);
      if (isOfGreedyTenant(write.key)) return;
      if (pk.startsWith('CONTRACTS#')) watching.contractWritten(write);
      if (pk.startsWith('HISTORY#')) watching.historyWritten(write);
      if (pk.startsWith('WATCHES#')) {
        watching.watchWritten(write);
        delivering.watchWritten(write);
        holding.watchWritten(write);
      }
      if (pk === 'UPSTREAM' && sk === 'GOVERNOR') asking.governorWritten(write);
      if (sk.startsWith('MUTES#')) delivering.mutesWritten(write);
      if (sk.startsWith('ACK#')) delivering.acknowledgementWritten(write);
      if (pk.startsWith('LIST#')) {
        delivering.alertWritten(write);
        reading.alertWritten(write);
      }
      if (sk.startsWith('CHANNEL#')) reading.channelWritten(write);
      if (sk.startsWith('LIST#')) {
        reading.listWritten(write);
        secrecy.listWritten(write);
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
      fairness.atRest(items);
      watching.atRest(items);
      delivering.atRest(items);
      keeping.atRest(items);
      // What a poll with an old hint took for no news the next poll reports, if there is one today.
      if (!asking.isSpent()) comparing.atRest(items);
      asking.atRest(items);
      reading.atRest();
    },
  };
}
