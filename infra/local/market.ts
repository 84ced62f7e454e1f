import type { ConfiguredProvider } from '#infra/command-line/configured-providers.ts';
import type { Settings } from '#infra/stack/stages.ts';
import type { Outcome } from '#shared/domain/market/upstream.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { InstantKey } from '#shared/providers/opensea/answers.ts';
import type { ContractFloor } from '#shared/stores/history-store.ts';
import type { LiveCollection } from './live/live-collection.ts';
import type { WatchlistDocument } from './watchlists.ts';

/** A provider that is asked beside the one that prices come from. */
export type OtherProvider = ConfiguredProvider & {
  /** Where it may be asked more often than its smallest key allows. */
  readonly limits?: Partial<Omit<UpstreamLimits, 'provider' | 'shares'>>;
};

/** Where prices come from in this run. */
export type Market = {
  /** In words; made-up prices are called so. */
  readonly label: string;
  /** The span of virtual time. */
  readonly start: number;
  readonly end: number;
  readonly cadenceMinutes: number;
  readonly upstreamKey: string;
  /** The settings of the stage that depend on the market. */
  readonly stage: Settings;
  /** The default watchlists. */
  readonly demo: readonly WatchlistDocument[];
  /** A rule of the demo that is muted at first, to show the message after a mute. */
  readonly muted?: { readonly list: string; readonly rule: string };
  /** Floors from before the start, which are loaded before the first tick. */
  readonly pastFloors?: () => readonly ContractFloor[];
  readonly serve: (now: () => number) => Promise<Served>;
  /** What a live market shows first. */
  readonly collections?: readonly LiveCollection[];
  /** The key that OpenSea made for this run, or for an earlier one. */
  readonly instantKey?: InstantKey | undefined;
  readonly makeKey?: () => Promise<Outcome<InstantKey>>;
};

export type Served = {
  readonly url: string;
  readonly others: readonly OtherProvider[];
  /** When anything that was asked so far is answered differently. */
  readonly nextChangeAfter: (instant: number) => number | undefined;
  readonly close: () => Promise<void>;
};
