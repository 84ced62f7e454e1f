import type { ConfiguredProvider } from '#infra/command-line/configured-providers.ts';
import type { Settings } from '#infra/stack/stages.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';
import type { ContractFloor } from '#shared/stores/history-store.ts';
import type { LiveCollection } from './live/live-collection.ts';
import type { WatchlistDocument } from './watchlists.ts';

/** A fallback provider. */
export type OtherProvider = ConfiguredProvider & {
  /**
   * The limits of the provider's plan; given only if it allows more calls than the smallest plan.
   */
  readonly limits?: Partial<Omit<UpstreamLimits, 'provider' | 'shares'>>;
};

/** The source of prices in this run. */
export type Market = {
  /** A description for people, which says whether prices are simulated. */
  readonly label: string;
  /** The start and the end of virtual time. */
  readonly start: number;
  readonly end: number;
  readonly cadenceMinutes: number;
  readonly upstreamKey: string;
  /** The settings of the stage that depend on the market. */
  readonly stage: Settings;
  /** The default watchlists. */
  readonly demo: readonly WatchlistDocument[];
  /** A rule of the demo that is muted at the start, to show the summary after a mute. */
  readonly muted?: { readonly list: string; readonly rule: string };
  /** Floors from before the start, which are loaded before the first tick. */
  readonly pastFloors?: () => readonly ContractFloor[];
  readonly serve: (now: () => number) => Promise<Served>;
  /** The collections that a live market shows at the start. */
  readonly collections?: readonly LiveCollection[];
  /** The key that OpenSea created for this run or an earlier one. */
  readonly instantKey?: InstantKey | undefined;
  readonly makeKey?: () => Promise<Outcome<InstantKey>>;
};

export type Served = {
  readonly url: string;
  readonly others: readonly OtherProvider[];
  /**
   * The earliest time after an instant at which at least one earlier request would get a different
   * response.
   */
  readonly nextChangeAfter: (instant: number) => number | undefined;
  readonly close: () => Promise<void>;
};
