import type { Alert } from '#shared/domain/alerting/alert.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { Meaning } from './alert-rule.ts';
import { GREATEST, type Waiting } from './ladder.ts';

/** The tenant's list, rule and contract that a watch is of: its name everywhere. */
export type WatchId = {
  readonly tenant: string;
  readonly list: string;
  readonly rule: string;
  readonly contract: ContractKey;
};

/**
 * Where a watch stands: `unknown` until the first value after its creation, `disarmed` while a
 * `cross` rule waits for the good side, else on one side of its threshold.
 */
export type WatchState = 'unknown' | 'ok' | 'firing' | 'disarmed';

/** What a rule's messages say beside its numbers; an edit of it keeps the episode. */
type Wording = {
  readonly label?: string;
  readonly name?: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly notifyRecovery: boolean;
};

/** One rule on one contract: the thing that has a state. */
export type Watch = WatchId & {
  readonly version: number;
  /** The list's revision at which the rule's meaning last changed or the member joined. */
  readonly generation: number;
  readonly meaning: Meaning;
  readonly wording: Wording;
  readonly admin: 'enabled' | 'paused' | 'expired';
  readonly expiresAt?: Instant;
  /** When the watch came to be: it starts with the first answer asked for after that. */
  readonly since: Instant;
  readonly state: WatchState;
  /** The data time of the transition into `state`. */
  readonly stateSince?: Instant;
  /** The number of the last observation that was judged. */
  readonly judgedSeq: number;
  /** Episodes so far within the generation; the last one is open while firing. */
  readonly episode: number;
  readonly firedAt?: Instant;
  /** Alerts so far within the generation. */
  readonly alerts: number;
  /** Alerts that the list's actor has not taken over yet, oldest first. */
  readonly outbox: readonly Alert[];
  /** When the dispatcher sends the list's actor again, while the outbox is not empty. */
  readonly dueAt?: Instant;
};

/** The numbers a watch waits for: those at which a look must read it, and no others. */
export function waitingOf({ admin, state, meaning }: Watch): Waiting {
  if (admin !== 'enabled') return {};
  const { when, threshold, recover } = meaning;
  switch (state) {
    case 'unknown':
      return { falling: GREATEST };
    case 'ok':
      return when === 'below' ? { falling: threshold } : { rising: threshold };
    case 'firing':
      return when === 'below'
        ? { rising: recover ?? threshold + 1n }
        : { falling: recover ?? threshold - 1n };
    case 'disarmed':
      return when === 'below' ? { rising: threshold + 1n } : { falling: threshold - 1n };
  }
}

/** The name of a watch as one text, for keys and messages. */
export function watchPath({ tenant, list, rule }: Omit<WatchId, 'contract'>): string {
  return `${tenant}#${list}#${rule}`;
}
