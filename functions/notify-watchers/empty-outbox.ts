import { isSilenced } from '#shared/domain/alerting/acknowledgement.ts';
import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import {
  type DestinationId,
  destinationIdsOfRule,
} from '#shared/domain/channels/destination-id.ts';
import { ruleWords } from '#shared/domain/evaluation/describe-alert.ts';
import { emptied, heldUntil, isHeldUntil, summarized } from '#shared/domain/evaluation/outbox.ts';
import {
  isNoDataWatch,
  ruleOf,
  type Watch,
  type WatchId,
} from '#shared/domain/evaluation/watch.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import { mutedUntil } from '#shared/domain/watchlists/mute.ts';
import {
  generationOf,
  noDataGeneration,
  type Rule,
  type Watchlist,
} from '#shared/domain/watchlists/watchlist.ts';
import { retryingConflicts } from '#shared/use-cases/retrying-conflicts.ts';
import { postWithEscalation } from './escalate-episode.ts';
import type { NotifyWatchersPorts } from './ports.ts';

/**
 * Moves the alerts of a watch's outbox to the inboxes of their destinations. An alert leaves the
 * outbox only when it is in all of these inboxes. While a mute covers the watch its alerts stay;
 * afterwards one summary takes their place. Alerts from before an edit are sent like all others. A
 * removed watch is deleted with its last alert. `documents` may have read the list for others before.
 */
export async function emptyOutbox(
  ports: NotifyWatchersPorts,
  id: WatchId,
  documents: Documents = ports,
): Promise<void> {
  await retryingConflicts(() => takeOver(ports, id, documents));
}

type Documents = Pick<NotifyWatchersPorts, 'getWatchlist' | 'getMutes'>;

async function takeOver(
  ports: NotifyWatchersPorts,
  id: WatchId,
  documents: Documents,
): Promise<void> {
  const watch = await ports.getWatch(id);
  if (watch === undefined || watch.outbox.length === 0) return;
  const list = await appliedList(ports, watch, documents);
  if (list === undefined) return;
  const rule = list.rules.find(({ id }) => id === ruleOf(watch));
  const { mutes } = list.deleted ? { mutes: [] } : await documents.getMutes(list);
  const about = {
    id: ruleOf(watch),
    severity: rule?.severity ?? watch.presentation.severity,
    contract: watch.contract,
  };
  const until = mutedUntil(mutes, about, ports.now());
  const destinationIds = destinationIdsFor(ports, list, rule, watch);
  const post = (alerts: readonly RuleAlert[]) =>
    postWithEscalation(ports, list, watch, alerts, destinationIds);
  if (until !== undefined) return await hold(ports, post, watch, until);
  const silenced = await silencedAlerts(ports, watch);
  const rest = without(watch, await alertsPosted(ports, watch));
  if (!hasMoreThan(silenced, rest)) return await leave(ports, rest);
  // The summary is written before it is posted, so that every retry posts the same one.
  const ready =
    rest.folded === undefined
      ? rest
      : await ports.putWatch(summarized(rest, ruleWords(rest, labelOf(rule, rest)), ports.now()));
  const heard = ready.outbox.filter((alert) => !silenced.includes(alert));
  await post(heard);
  await leave(ports, ready);
  const { tenant, rule: name, contract } = id;
  const sent = {
    tenant,
    list: id.list,
    rule: name,
    contract,
    alerts: heard.map((alert) => alert.id),
  };
  ports.report('outbox_emptied', { ...sent, seconds: ageOfOldest(heard, ports.now()) });
}

/** The destinations of a watch's alerts, by its rule as it is now; of a removed rule as it last was. */
function destinationIdsFor(
  ports: NotifyWatchersPorts,
  list: Watchlist,
  rule: Rule | undefined,
  { presentation }: Watch,
): readonly DestinationId[] {
  return destinationIdsOfRule(list, rule ?? presentation, ports);
}

/**
 * The alerts of an overfull outbox that a worker posted before it stopped: no summary counts them.
 * Alerts that a mute holds were checked when it first held them.
 */
async function alertsPosted(
  ports: NotifyWatchersPorts,
  { outbox, folded }: Watch,
): Promise<readonly RuleAlert[]> {
  if (folded === undefined || folded.muted) return [];
  const single = outbox.filter(({ kind }) => kind !== 'summary');
  const unsent = new Set(await newAlerts(ports, single));
  return single.filter((alert) => !unsent.has(alert));
}

function without(watch: Watch, alerts: readonly RuleAlert[]): Watch {
  return { ...watch, outbox: watch.outbox.filter((alert) => !alerts.includes(alert)) };
}

function ageOfOldest(alerts: readonly RuleAlert[], now: Instant): number {
  return (now - Math.min(now, ...alerts.map(({ at }) => Date.parse(at)))) / SECOND;
}

/** Alerts of acknowledged episodes that are not sent; those that are posted already stay posted. */
async function silencedAlerts(
  ports: NotifyWatchersPorts,
  watch: Watch,
): Promise<readonly RuleAlert[]> {
  const some = watch.outbox.filter(({ kind }) => kind === 'reminder' || kind === 'worsened');
  const episodes = Map.groupBy(some, ({ generation, episode }) => `${generation} ${episode}`);
  const silenced = await Promise.all(
    [...episodes.values()].map(async (alerts) => {
      const [{ generation, episode } = watch] = alerts;
      const about = { ...watch, generation, episode: episode ?? 0 };
      const acknowledgement = await ports.getAcknowledgement(about);
      if (acknowledgement === undefined) return [];
      return await newAlerts(
        ports,
        alerts.filter(({ kind }) => isSilenced(acknowledgement, kind)),
      );
    }),
  );
  return silenced.flat();
}

/** Alerts that are not posted. */
async function newAlerts(
  ports: NotifyWatchersPorts,
  alerts: readonly RuleAlert[],
): Promise<readonly RuleAlert[]> {
  const records = await Promise.all(alerts.map((alert) => ports.getPosted(alert)));
  return alerts.filter((_alert, index) => records[index] === undefined);
}

/** Whether the outbox holds more than what is not sent, if only as a count. */
function hasMoreThan(silenced: readonly RuleAlert[], { outbox, folded }: Watch): boolean {
  const kinds = new Set<string>(['reminder', ...silenced.map(({ kind }) => kind)]);
  const counted = Object.keys(folded?.counts ?? {});
  return silenced.length < outbox.length || counted.some((kind) => !kinds.has(kind));
}

/**
 * The list of a watch, if it is applied to it: otherwise the contract's actor applies it first, and
 * closes the episode that an edit has ended.
 */
async function appliedList(
  ports: NotifyWatchersPorts,
  watch: Watch,
  documents: Documents,
): Promise<Watchlist | undefined> {
  // What was read before may not know yet that the watch was changed, or that the list is deleted.
  const readers = watch.admin === 'removed' ? [ports] : [documents, ports];
  for (const { getWatchlist } of new Set(readers)) {
    const list = await getWatchlist({ tenant: watch.tenant, id: watch.list });
    if (list !== undefined && isApplied(list, watch)) return list;
  }
  return undefined;
}

/**
 * Whether the list's document is applied to a watch: its generation is current, or it is removed.
 */
function isApplied(list: Watchlist, watch: Watch): boolean {
  const rule = list.rules.find(({ id }) => id === ruleOf(watch));
  const member = list.members.find(({ contract }) => contract === watch.contract);
  if (watch.admin === 'removed' || rule === undefined || member === undefined) {
    return watch.admin === 'removed';
  }
  const generation = isNoDataWatch(watch)
    ? noDataGeneration(rule, member)
    : generationOf(rule, member);
  return watch.generation === generation;
}

function labelOf(rule: Rule | undefined, { presentation }: Watch): string | undefined {
  return rule === undefined ? presentation.label : rule.label;
}

/** Writes the watch with an empty outbox, or deletes it if it was removed. */
async function leave(ports: NotifyWatchersPorts, watch: Watch): Promise<void> {
  await (watch.admin === 'removed' ? ports.deleteWatch(watch) : ports.putWatch(emptied(watch)));
}

/**
 * Milliseconds. Lifting a mute early releases the watches of the list but not removed ones: these
 * check again by themselves.
 */
const LOOKS_AGAIN_AFTER = 2 * MINUTE;

/** Holds back the alerts that a mute covers, but for a summary and for alerts posted before the mute. */
async function hold(
  ports: NotifyWatchersPorts,
  post: (alerts: readonly RuleAlert[]) => Promise<void>,
  watch: Watch,
  until: Instant,
): Promise<void> {
  const unsent = watch.folded?.muted === true ? watch.outbox : await newAlerts(ports, watch.outbox);
  const held = unsent.filter(({ kind }) => kind !== 'summary');
  await post(unsent.filter(({ kind }) => kind === 'summary'));
  if (held.length === 0) return await leave(ports, watch);
  const isRemoved = watch.admin === 'removed';
  const end = isRemoved ? Math.min(until, ports.now() + LOOKS_AGAIN_AFTER) : until;
  if (!isHeldUntil(watch, end)) await ports.putWatch(heldUntil(watch, held, end));
}
