import type { Columns } from '#shared/domain/csv.ts';
import type { ActorRead } from './answers/actor.ts';
import type { AlertRead, EpisodeRead } from './answers/alerts.ts';

const ACKNOWLEDGED: Columns<Pick<AlertRead, 'acknowledged'>> = {
  acknowledgedAt: ({ acknowledged }) => acknowledged?.at ?? null,
  acknowledgedBy: ({ acknowledged }) => (acknowledged?.by ? whoIn(acknowledged.by) : null),
  acknowledgedNote: ({ acknowledged }) => acknowledged?.note ?? null,
};

/** Columns that describe the rule. The tables of alerts and of episodes share them. */
const OF_RULE: Columns<Pick<EpisodeRead, keyof EpisodeRead & keyof AlertRead>> = {
  severity: ({ severity }) => severity,
  watchlist: ({ watchlist }) => watchlist,
  rule: ({ rule }) => rule,
  label: ({ label }) => label,
  contract: ({ contract }) => contract,
  name: ({ name }) => name,
  metric: ({ metric }) => metric,
  when: ({ when }) => when,
  threshold: ({ threshold }) => threshold,
  value: ({ value }) => value,
};

/** The columns of a table of episodes. */
export const EPISODE_COLUMNS: Columns<EpisodeRead> = {
  firedAt: ({ firedAt }) => firedAt,
  endedAt: ({ endedAt }) => endedAt,
  state: ({ state }) => state,
  ...OF_RULE,
  extreme: ({ extreme }) => extreme,
  unit: ({ unit }) => unit,
  duration: ({ duration }) => duration,
  ...ACKNOWLEDGED,
  alerts: ({ timeline }) => timeline.length,
  complete: ({ complete }) => complete,
  title: ({ title }) => title,
  self: ({ self }) => self,
};

/** The columns of a table of alerts. */
export const ALERT_COLUMNS: Columns<AlertRead> = {
  at: ({ at }) => at,
  dataTime: ({ dataTime }) => dataTime,
  kind: ({ kind }) => kind,
  ...OF_RULE,
  previous: ({ previous }) => previous,
  unit: ({ unit }) => unit,
  usd: ({ usd }) => usd,
  ...ACKNOWLEDGED,
  deliveries: deliveriesIn,
  title: ({ title }) => title,
  self: ({ self }) => self,
};

/** `Ada via Slack #desk`, or only the name for a key. */
function whoIn({ name, via }: ActorRead): string {
  return via === null ? name : `${name} via ${via}`.trim();
}

/** Formats deliveries for a cell: `desk sent; room failed: the webhook is gone`. */
function deliveriesIn({ deliveries }: AlertRead): string {
  return Object.entries(deliveries)
    .map(([id, { state, reason }]) => `${id} ${state}${reason === null ? '' : `: ${reason}`}`)
    .join('; ');
}
