import * as z from 'zod';
import { eachKind } from '#shared/channels/channel-body.ts';
import { Alert } from '#shared/domain/alerting/alert.ts';
import { WATCH_STATES } from '#shared/domain/evaluation/watch.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { ChangeKind } from '#shared/domain/watchlists/change.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import {
  CursorAnswer,
  DecimalText,
  ForecastAnswer,
  filledPage,
  MomentText,
  priceAnswer,
  UnreadableAnswer,
} from '#shared/http/answer-shapes.ts';

/*
 * The answers of `manage-watchlists`. The OpenAPI document is generated from these schemas, and
 * tests check each answer against them; the function itself does not use them.
 */

const Severity = Alert.shape.severity;

export const MuteAnswer = z.strictObject({
  id: Identifier,
  from: MomentText,
  until: MomentText,
  rule: Identifier.nullable(),
  severity: Severity.nullable(),
  reason: Line.nullable(),
});
export const MuteList = z.strictObject({ mutes: z.array(MuteAnswer) });

export const EditedAnswer = z.strictObject({
  added: z.array(z.string()),
  changed: z.array(z.string()),
  removed: z.array(z.string()),
});
export const EditAnswer = z.strictObject({
  name: Line.nullable(),
  contracts: EditedAnswer,
  rules: EditedAnswer,
  channels: EditedAnswer,
});
export const ActorAnswer = z.strictObject({ key: z.string(), name: z.string() });
export const ChangeAnswer = z.strictObject({
  id: z.string(),
  at: MomentText,
  by: ActorAnswer,
  watchlist: Identifier,
  kind: ChangeKind,
  revision: z.int().positive().nullable(),
  edit: EditAnswer.nullable(),
  subject: z.string().nullable(),
});
export const ChangePage = z.strictObject({ changes: z.array(ChangeAnswer), ...filledPage });

export const QuotaAnswer = z.strictObject({ used: z.int().min(0), limit: z.int().positive() });
export const RequestUnitsAnswer = z.strictObject({
  unitsPerMinute: z.int().positive(),
  left: z.int().min(0),
  allAt: MomentText,
});
export const UsageAnswer = z.strictObject({
  watchlists: QuotaAnswer,
  contracts: QuotaAnswer,
  watches: QuotaAnswer,
  requests: z.strictObject({ api: RequestUnitsAnswer, nftData: RequestUnitsAnswer }),
});

const identified = { id: Identifier };
export const ChannelAnswer = eachKind(identified);

export const MemberAnswer = z.strictObject({ contract: ContractKey, name: Line.optional() });
export const RuleAnswer = AlertRule.safeExtend(identified);

/** The forecast of a watch that a change has begun. */
export const WatchForecast = z.strictObject({
  rule: Identifier,
  contract: ContractKey,
  forecast: ForecastAnswer,
});
export const RuleWarning = z.strictObject({ rule: Identifier, text: z.string() });

export const ExpectedCadence = z.strictObject({
  minutes: z.int().positive(),
  promisedMinutes: z.int().positive(),
  contractsThatFit: z.int().min(0).nullable(),
});

export const ForecastOfChange = z.strictObject({
  watches: z.array(WatchForecast),
  leftOut: z.int().min(0),
  warnings: z.array(RuleWarning),
  cadence: ExpectedCadence,
});

/** A list in a page of lists. */
export const WatchlistEntry = z.strictObject({
  id: Identifier,
  name: Line,
  revision: z.int().positive(),
  contracts: z.array(MemberAnswer),
  rules: z.array(RuleAnswer),
  channels: z.array(ChannelAnswer),
});
export const WatchlistPage = z.strictObject({
  watchlists: z.array(WatchlistEntry),
  ...filledPage,
});

/** One list, and how far its revision is in effect. */
export const WatchlistAnswer = WatchlistEntry.extend({
  mutes: z.array(MuteAnswer),
  restarted: z.array(Identifier).optional(),
  forecast: ForecastOfChange.optional(),
  undeliverable: z.boolean(),
  pendingChanges: z.int().min(0),
  cadenceMinutes: z.int().positive(),
  cadenceStretched: z.boolean(),
});

const ofList = { revision: z.int().positive(), pendingChanges: z.int().min(0) };
const changed = {
  ...ofList,
  restarted: z.array(Identifier).optional(),
  forecast: ForecastOfChange.optional(),
};

/** The number of watches that a change begins and ends. */
export const WatchCounts = z.strictObject({ begun: z.int().min(0), ended: z.int().min(0) });
export const DryRunAnswer = z.strictObject({
  revision: z.int().positive().nullable(),
  edit: EditAnswer,
  restarted: z.array(Identifier),
  watches: WatchCounts,
  forecast: ForecastOfChange,
});
export const PutAnswer = z.union([WatchlistAnswer, DryRunAnswer]);

/** A list in the form in which it may be written. */
export const WatchlistExport = WatchlistEntry.omit({ id: true, revision: true });

/** All parts of a kind, or one part, with the list's revision and how far it is in effect. */
export const ContractsOfList = z.strictObject({ contracts: z.array(MemberAnswer), ...ofList });
export const ContractOfList = z.strictObject({ contract: MemberAnswer, ...changed });
export const RulesOfList = z.strictObject({ rules: z.array(RuleAnswer), ...ofList });
export const RuleOfList = z.strictObject({ rule: RuleAnswer, ...changed });
export const ChangedChannel = z.strictObject({ channel: ChannelAnswer, ...changed });

export const AcknowledgementAnswer = z.strictObject({ at: MomentText, note: Line.nullable() });

export const DeliveryAnswer = z.strictObject({
  state: z.enum(['pending', 'accepted', 'sent', 'failed']),
  at: MomentText.nullable(),
  reason: z.string().nullable(),
});

export const AlertAnswer = Alert.extend({
  self: z.string().regex(/^\/v1\/watchlists\/[^/]+\/alerts\/[^/]+$/),
  acknowledged: AcknowledgementAnswer.nullable(),
  deliveries: z.record(z.string(), DeliveryAnswer),
  operators: z.record(z.string(), DeliveryAnswer),
});
export const AlertPage = z.strictObject({ alerts: z.array(AlertAnswer), ...filledPage });

const conditionMembers = {
  metric: z.string(),
  when: z.enum(['below', 'above', 'outside', 'inside', 'crosses']),
  threshold: DecimalText.nullable(),
  recover: DecimalText.nullable(),
  low: DecimalText.nullable(),
  high: DecimalText.nullable(),
  unit: z.string(),
  value: DecimalText.nullable(),
};
export const ConditionAnswer = z.strictObject(conditionMembers);

export const WaitsForAnswer = z.strictObject({
  metric: z.string(),
  falling: DecimalText.nullable(),
  rising: DecimalText.nullable(),
});

export const HealthAnswer = z.strictObject({
  state: z.enum(['waiting', 'fresh', 'stale', 'disputed', 'error']),
  code: z.string(),
  reason: z.string().nullable(),
  since: MomentText.nullable(),
});

export const WatchAnswer = z.strictObject({
  rule: Identifier,
  noData: z.boolean(),
  contract: ContractKey,
  name: Line.nullable(),
  label: Line.nullable(),
  ...conditionMembers,
  all: z.array(ConditionAnswer).nullable(),
  severity: Severity,
  admin: z.enum(['enabled', 'paused', 'expired', 'muted']),
  mutedUntil: MomentText.nullable(),
  state: z.enum(WATCH_STATES),
  stateSince: MomentText.nullable(),
  episode: z.int().min(0),
  acknowledged: AcknowledgementAnswer.nullable(),
  generation: z.int().positive(),
  waitsFor: WaitsForAnswer,
  dataTime: MomentText.nullable(),
  health: HealthAnswer,
});
export const WatchPage = z.strictObject({
  watches: z.array(WatchAnswer),
  cursor: CursorAnswer,
  unreadable: z.array(UnreadableAnswer),
});

export const ReportedPriceAnswer = z.strictObject(priceAnswer);

export const NextEvaluationAnswer = z.strictObject({
  pollAt: MomentText.nullable(),
  cadenceMinutes: z.int().positive(),
  wakeAt: MomentText.nullable(),
});

export const OutboxAnswer = z.strictObject({
  alerts: z.int().min(0),
  since: MomentText.nullable(),
  heldUntil: MomentText.nullable(),
});

export const WatchExplanation = WatchAnswer.extend({
  why: z.string(),
  forecast: ForecastAnswer,
  waitsForInWords: z.string().nullable(),
  reported: z.array(ReportedPriceAnswer),
  nextEvaluation: NextEvaluationAnswer,
  outbox: OutboxAnswer,
});

/** A watch that the last change of its list has yet to create. */
export const WatchToCome = z.strictObject({
  rule: Identifier,
  contract: ContractKey,
  state: z.null(),
  why: z.string(),
});
export const ExplanationAnswer = z.union([WatchExplanation, WatchToCome]);
export const OneWatchAnswer = z.union([WatchAnswer, WatchToCome]);
