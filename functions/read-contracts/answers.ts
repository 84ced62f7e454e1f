import * as z from 'zod';
import { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { Provider } from '#shared/domain/market/provider.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import {
  CursorAnswer,
  DecimalText,
  ForecastAnswer,
  MomentText,
  priceAnswer,
  UnreadableAnswer,
} from '#shared/http/answer-shapes.ts';

/*
 * The answers of `read-contracts`. The OpenAPI document is generated from these schemas, and tests
 * check each answer against them; the function itself does not use them.
 */

export const PartHealthAnswer = z.strictObject({
  state: z.enum(['waiting', 'fresh', 'stale', 'disputed']),
  code: z.string(),
  reason: z.string().nullable(),
  since: MomentText.nullable(),
  silentSince: MomentText.nullable(),
  retryAt: MomentText.nullable(),
  confirmedBy: Provider.nullable(),
  confirmedAt: MomentText.nullable(),
});

export const PartAnswer = z.strictObject({
  ...priceAnswer,
  ageMinutes: z.int().min(0).nullable(),
  health: PartHealthAnswer,
});

export const ContractAnswer = z.strictObject({
  contract: ContractKey,
  name: Line.nullable(),
  watchlists: z.array(Identifier),
  cadenceMinutes: z.int().positive(),
  pollAt: MomentText.nullable(),
  parts: z.array(PartAnswer),
});
export const ContractPage = z.strictObject({
  contracts: z.array(ContractAnswer),
  cursor: CursorAnswer,
  unreadable: z.array(UnreadableAnswer),
});

export const CollectionAnswer = z.strictObject({ contract: ContractKey, name: z.string() });
export const CandidateAnswer = z.strictObject({ name: z.string(), slug: z.string() });
export const CollectionsAnswer = z.strictObject({
  collection: CollectionAnswer.nullable(),
  candidates: z.array(CandidateAnswer),
});

export const RecordedAnswer = z.strictObject({
  time: MomentText,
  price: DecimalText,
  currency: z.string(),
  usd: DecimalText.nullable(),
  source: z.string().nullable(),
  tradedAt: MomentText.nullable(),
});
export const HistoryPage = z.strictObject({
  contract: ContractKey,
  part: z.string(),
  points: z.array(RecordedAnswer),
  cursor: CursorAnswer,
});

export const StackHealth = z.strictObject({
  status: z.literal('ok'),
  dispatchedAt: MomentText,
  notes: z.array(z.string()),
});

const times = z.int().min(0);

export const PreviewCounts = z.strictObject({
  fired: times,
  worsened: times,
  reminder: times,
  recovered: times,
  closed: times,
  stale: times,
  fresh: times,
});

export const PreviewedAlert = RuleAlert.extend({ subject: z.string() });

export const GapAnswer = z.strictObject({ from: MomentText, to: MomentText });

export const PartHistory = z.strictObject({
  part: z.string(),
  from: MomentText.nullable(),
  to: MomentText.nullable(),
  points: times,
  recorded: times,
  backFilled: times,
  typicalMinutes: times.nullable(),
  gaps: times.nullable(),
  longestGap: GapAnswer.nullable(),
});

export const BackFillAnswer = z.strictObject({ pages: times, trouble: z.string().nullable() });

export const IgnoredAnswer = z.strictObject({
  part: z.string(),
  why: z.enum(['outlier', 'below']),
  time: MomentText,
  price: z.string(),
  currency: z.string(),
});

export const ContractPreview = z.strictObject({
  contract: ContractKey,
  counts: PreviewCounts.nullable(),
  notTested: z.string().nullable(),
  pendingEnded: times,
  until: MomentText,
  alerts: z.array(PreviewedAlert),
  ignored: z.array(IgnoredAnswer),
  history: z.array(PartHistory),
  backFill: BackFillAnswer.nullable(),
  forecast: ForecastAnswer,
});

export const PreviewAnswer = z.strictObject({
  from: MomentText,
  to: MomentText,
  notes: z.array(z.string()),
  contracts: z.array(ContractPreview),
});
