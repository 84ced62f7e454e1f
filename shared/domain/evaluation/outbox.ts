import type { RuleAlert } from '#shared/domain/alerting/alert.ts';
import type { RuleWords } from '#shared/domain/alerting/alert-words.ts';
import { wordedSummary } from '#shared/domain/alerting/summary-words.ts';
import { formatInstant, type Instant, MINUTE } from '#shared/domain/market/instant.ts';
import { type Folded, isEpisodeOpen, type Watch } from './watch.ts';

/**
 * So many alerts a watch holds in full, and the last; of those between it keeps how many there were
 * of each kind.
 */
const CAP = 20;
/** After this the dispatcher sends the list's actor again. */
const PATIENCE = 2 * MINUTE;

/**
 * Puts an alert into a watch's outbox. Beyond the cap the one before it is folded into a count: any
 * of those that it held until then may be on its way to its channels already.
 */
export function posted(watch: Watch, alert: RuleAlert, now: Instant): Watch {
  const entries = [...watch.outbox, alert];
  const held = entries.filter(isNoSummary);
  const last = held.length > CAP + 1 ? held.at(-2) : undefined;
  const begun = watch.folded ?? (held.length > CAP ? NOTHING : undefined);
  const folded = begun === undefined || last === undefined ? begun : counted(begun, last);
  return {
    ...watch,
    outbox: entries.filter((entry) => entry !== last),
    outboxDueAt: watch.outboxDueAt ?? now + PATIENCE,
    ...(folded === undefined ? {} : { folded }),
  };
}

/** Keeps some of what the outbox holds until a mute's end; then it is reported in one summary. */
export function heldUntil(watch: Watch, entries: readonly RuleAlert[], until: Instant): Watch {
  const folded = { ...(watch.folded ?? NOTHING), muted: true };
  return { ...watch, outbox: entries, folded, outboxDueAt: until };
}

/** Whether all that the outbox holds is kept until that end of a mute already. */
export function isHeldUntil({ outbox, folded, outboxDueAt }: Watch, until: Instant): boolean {
  return folded?.muted === true && outboxDueAt === until && outbox.every(isNoSummary);
}

/**
 * Puts one summary in the place of all that the outbox has held back. A summary that is there
 * already stays: it may have been reported.
 */
export function summarized(watch: Watch, words: RuleWords, now: Instant): Watch {
  const { folded: before, ...rest } = watch;
  const entries = watch.outbox.filter(isNoSummary);
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return rest;
  const folded = entries.reduce(counted, before ?? NOTHING);
  const { label: _label, title: _title, facts: _facts, ...reported } = last;
  const summary = {
    ...reported,
    // The last alert of a summary is the last of no other: neither id is used twice.
    id: `${last.id}s`,
    kind: 'summary' as const,
    at: formatInstant(now),
    open: last.open === null ? null : isEpisodeOpen(watch) || watch.noValueSince !== undefined,
  };
  const firingSince = isEpisodeOpen(watch) ? watch.firedAt : undefined;
  const story = { ...folded, since: first.dataTime, firingSince, last: last.kind };
  const earlier = watch.outbox.filter((entry) => !isNoSummary(entry));
  return {
    ...rest,
    outbox: [...earlier, wordedSummary(summary, words, story)],
    outboxDueAt: now + PATIENCE,
  };
}

/** A watch all of whose alerts have been taken over. */
export function emptied({ folded: _folded, outboxDueAt: _dueAt, ...watch }: Watch): Watch {
  return { ...watch, outbox: [] };
}

function isNoSummary({ kind }: RuleAlert): boolean {
  return kind !== 'summary';
}

const NOTHING: Folded = { counts: {}, muted: false };

function counted({ counts, ...folded }: Folded, { kind }: RuleAlert): Folded {
  return { ...folded, counts: { ...counts, [kind]: (counts[kind] ?? 0) + 1 } };
}
