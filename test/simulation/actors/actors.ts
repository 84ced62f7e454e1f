import type { ContractKey } from '#shared/domain/market/contract.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Calendar } from '#test/simulation/calendar.ts';
import type { EventLog } from '#test/simulation/event-log.ts';
import { TIMEOUT_SECONDS } from '#test/simulation/functions.ts';
import type { Runner } from '#test/simulation/runner.ts';
import type { Stream } from '#test/simulation/services/streams.ts';
import type { Timeline } from '#test/simulation/services/timeline.ts';
import { writesGreedily } from './greedy-tenant.ts';
import { createReaders, type ReadersWorld } from './readers.ts';
import type { Workload } from './rule-bodies.ts';
import { createSnoozer } from './snoozers.ts';
import { type Action, createContactPointKeeper, createUser, type WalletChoice } from './users.ts';

type ActorsWorld = {
  readonly timeline: Timeline;
  readonly workload: Workload;
  readonly wallets: WalletChoice;
  readonly quiet: Stream;
  readonly runner: Pick<Runner, 'run'>;
  readonly met: EventLog['met'];
  readonly readers: Pick<ReadersWorld, 'reported' | 'broken'>;
  readonly links: { readonly follows: () => Action | undefined };
  readonly linkPause: Stream;
  readonly escalations: Stream;
  readonly holdings: Stream;
  readonly values: Stream;
  readonly snoozes: Stream;
  readonly ratios: Stream;
};

type Work = {
  readonly tenants: readonly string[];
  readonly contracts: readonly ContractKey[];
  readonly start: Instant;
  readonly minutes: number;
  readonly worksAt: Calendar;
  /** Typical pause between two actions of a person. */
  readonly pauseMinutes: number;
  readonly isGreedy: boolean;
};

const TRIES = 3;
/**
 * Delay between the end of the faults and the final writes. It is long enough for the contact
 * points of all lists to be stored, even by a writer that is frozen when the faults end.
 */
const HEARD_AFTER = 45 * SECOND;
const GREEDY_PAUSE = 10 * MINUTE;
const KEEPS_BEFORE_END = 5 * MINUTE;

/** Schedules the actions of people of each tenant, from the start to the end. */
export function startActors(
  {
    timeline,
    workload,
    wallets,
    quiet,
    runner,
    met,
    readers,
    links,
    linkPause,
    escalations,
    snoozes,
    ratios,
    holdings,
    values,
  }: ActorsWorld,
  { tenants, contracts, start, minutes, worksAt, pauseMinutes, isGreedy }: Work,
): void {
  /** Runs an action. Repeats the action up to `tries` times while it fails, then calls `giveUp`. */
  const does = (action: Action, tries = TRIES, giveUp = () => {}) => {
    met(action.name);
    runner.run(
      `${action.via ?? 'serve-api'} ${action.name} ${action.by.id}`,
      TIMEOUT_SECONDS.manage,
      (instance, by) => instance.manage(by, action.work),
      (isDone) => {
        if (isDone) return;
        if (tries === 0) return giveUp();
        timeline.at(timeline.now() + 5 * SECOND, () => does(action, tries - 1, giveUp));
      },
    );
    return true;
  };

  const reads = createReaders({ now: timeline.now, workload, tenants, contracts, ...readers });
  const end = start + minutes * MINUTE;
  for (let edit = 0; isGreedy && edit * GREEDY_PAUSE < end - start; edit += 1) {
    const at = start + MINUTE + edit * GREEDY_PAUSE;
    timeline.at(worksAt(at), () => does(writesGreedily(edit)));
  }
  for (let at = start; at < end; at += linkPause.between(20, 600) * SECOND) {
    timeline.at(worksAt(at), () => {
      const action = links.follows();
      return action !== undefined && does(action);
    });
  }
  const longestPause = 2 * pauseMinutes * 60;
  for (const tenant of tenants) {
    const keeper = createContactPointKeeper(tenant, { ...workload, quiet });
    timeline.at(worksAt(start), () => does(keeper.writes()));
    timeline.at(worksAt(end), () => does(keeper.writes()));
    // An interrupted removal leaves its contact point withdrawn for minutes, so no removal starts
    // near the end.
    for (
      let at = start;
      at < end - KEEPS_BEFORE_END;
      at += workload.between(60, 3 * longestPause) * SECOND
    ) {
      if (at === start) continue;
      const act = workload.happens(0.3) ? keeper.removes : keeper.writes;
      timeline.at(worksAt(at), () => does(act()));
    }
    for (let index = 0; index < workload.between(1, 2); index += 1) {
      const person = createUser(
        { tenant, id: `list-${index}` },
        contracts,
        { ...workload, wallets, quiet, escalations, ratios, holdings, values },
        start,
      );
      const first = start + workload.between(1, 120) * SECOND;
      timeline.at(worksAt(first), () => does(person.writes()));
      // No fault happens after the end, so these writes must succeed.
      const says = () =>
        readers.broken('a write succeeds once faults are over', `${tenant} list-${index}`);
      if (workload.happens(0.5)) {
        timeline.at(worksAt(end + HEARD_AFTER), () => does(person.writes(), TRIES, says));
      }
      for (let at = first; at < end; at += workload.between(20, 2 * longestPause) * SECOND) {
        timeline.at(worksAt(at), () => does(reads({ tenant, id: `list-${index}` })));
      }
      const snoozer = createSnoozer({ tenant, id: `list-${index}` }, snoozes, readers);
      // Lists without a snoozer keep their reminders, worsening and escalations, which other
      // invariants check.
      const hasSnoozer = snoozes.happens(0.4);
      for (let at = first; hasSnoozer && at < end; at += snoozes.between(60, 900) * SECOND) {
        timeline.at(worksAt(at), () => does(snoozer()));
      }
      for (let at = first; at < end; at += workload.between(20, longestPause) * SECOND) {
        if (at === first) continue;
        timeline.at(worksAt(at), () => does(person.acts(timeline.now())));
      }
    }
  }
}
