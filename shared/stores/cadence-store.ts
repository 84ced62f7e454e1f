import * as z from 'zod';
import { SECOND } from '#shared/domain/market/instant.ts';
import { type Cadences, NO_CADENCES } from '#shared/domain/polling/cadences.ts';
import { readItem } from './read-item.ts';
import type { Table } from './table.ts';

/** The poll intervals of contracts, as last computed by the planner. */
export type CadenceStore = {
  readonly cadences: () => Promise<Cadences>;
  readonly noteCadences: (cadences: Cadences) => Promise<void>;
};

/** How long a reader may cache the cadences. The planner may change them once a minute. */
export const CADENCE_KEPT_FOR = 10 * SECOND;

const CADENCES = { pk: 'UPSTREAM', sk: 'CADENCES' };

export function createCadenceStore(table: Table): CadenceStore {
  return {
    cadences: async () => {
      const item = await table.get(CADENCES);
      return item === undefined ? NO_CADENCES : readItem('cadences', CadencesItem, item);
    },

    noteCadences: (cadences) => table.put({ ...CADENCES, ...cadences }),
  };
}

const Pace = z.lazy(() =>
  z.object({
    minutes: z.number(),
    fourTimesFrom: z.string().optional(),
    twiceFrom: z.string().optional(),
    halfBefore: z.string().optional(),
  }),
);

export const CadencesItem = z.lazy(() =>
  z.object({
    stretched: z.record(z.string(), Pace),
    capacity: z.number().optional(),
    contracts: z.record(z.string(), z.number()),
  }),
);
