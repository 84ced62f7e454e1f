import { defined } from '#shared/domain/defined.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type PriceSeriesName, priceSeries } from '#shared/domain/market/price-series.ts';
import { areOfOneOrigin, type Provider } from '#shared/domain/market/provider.ts';
import { isAnswer, isLacking } from '#shared/domain/market/upstream.ts';
import { type ContractRecord, isUnsupportedBy } from '#shared/domain/polling/contract-record.ts';
import { callsFor, isReportedBy } from '#shared/domain/polling/due-work.ts';
import { compareOpinions, needsSecondOpinion } from '#shared/domain/polling/second-opinion.ts';
import { callOnce } from '#shared/use-cases/rate-limited-call.ts';
import { type Asked, fetchSeries, reportSkipped, requestResult } from './ask-series.ts';
import type { PollPricesPorts, PriceSource } from './ports.ts';
import { hasTimeFor } from './time-to-stop.ts';

/**
 * Completes the answer of the planned provider. Other providers replace a missing value. A provider
 * with an independent data source confirms or disputes a new floor of the first provider.
 */
export async function withOthers(
  ports: PollPricesPorts,
  planned: PriceSource,
  cached: ContractRecord,
  asked: Asked,
  signal: AbortSignal,
): Promise<Asked> {
  reportTrouble(ports, cached, planned, asked);
  const { series, answer } = asked;
  if (answer !== undefined && isAnswer(answer.outcome)) {
    if (planned !== ports) return withoutPage(asked);
    if (answer.outcome.kind === 'empty') return asked;
    return await withSecondOpinion(ports, cached, asked, signal);
  }
  const unsupportedBy = planned === ports ? [] : lacking(planned, asked);
  for (const source of mayBeAsked(ports, cached)) {
    if (source === planned || !isReportedBy(source.provider, series)) continue;
    const instead = await ask(ports, source, cached, series, signal);
    if (instead.answer !== undefined && isAnswer(instead.answer.outcome))
      return {
        ...withoutPage(instead),
        ...defined({ statistics: asked.statistics }),
        unsupportedBy,
      };
    unsupportedBy.push(...lacking(source, instead));
  }
  return { ...asked, unsupportedBy };
}

/** The other providers, without those that lack the contract. */
function mayBeAsked({ others, now }: PollPricesPorts, cached: ContractRecord) {
  return others.filter(({ provider }) => !isUnsupportedBy(cached, provider, now()));
}

function lacking({ provider }: PriceSource, { answer }: Asked): Provider[] {
  return answer !== undefined && isLacking(answer.outcome) ? [provider] : [];
}

/**
 * Removes the page, so that the back-fill does not use it: it came from a fallback provider, or
 * another provider contradicts it.
 */
function withoutPage({ page: _ofAnother, ...asked }: Asked): Asked {
  return asked;
}

async function withSecondOpinion(
  ports: PollPricesPorts,
  cached: ContractRecord,
  asked: Asked,
  signal: AbortSignal,
): Promise<Asked> {
  const { series, answer } = asked;
  const floor = newestOf(asked);
  if (answer === undefined || floor === undefined || !priceSeries(series).hasGlitches) return asked;
  const voters = mayBeAsked(ports, cached).filter(
    ({ provider }) => isReportedBy(provider, series) && !areOfOneOrigin(provider, ports.provider),
  );
  if (voters.length === 0 || !needsSecondOpinion(cached, floor, ports.now())) return asked;
  const unsupportedBy: Provider[] = [];
  for (const source of voters) {
    const { provider } = source;
    const opinion = await ask(ports, source, cached, series, signal);
    const other = newestOf(opinion);
    unsupportedBy.push(...lacking(source, opinion));
    if (other === undefined) continue;
    const opinions = [
      { provider: ports.provider, floor },
      { provider, floor: other },
    ] as const;
    const verdict = compareOpinions(cached, ...opinions, ports.now());
    if (verdict.kind === 'disputed') {
      ports.report('floor_disputed', { contract: cached.contract, reason: verdict.reason });
    }
    const judged = { ...asked, answer: { ...answer, opinions }, unsupportedBy };
    const isOwn =
      verdict.kind === 'single' || (verdict.kind === 'agreed' && verdict.floor === floor);
    return isOwn ? judged : withoutPage(judged);
  }
  return { ...asked, answer: { ...answer, isAlone: true }, unsupportedBy };
}

async function ask(
  ports: PollPricesPorts,
  source: PriceSource,
  cached: ContractRecord,
  series: PriceSeriesName,
  signal: AbortSignal,
): Promise<Asked> {
  const made = await callOnce(
    source,
    callsFor(series, source.provider),
    (call, askedAt) => fetchSeries(source, cached, series, call, askedAt, signal),
    signal,
    (callAt) => hasTimeFor(callAt, ports),
  );
  const asked = requestResult(series, made.call === undefined ? undefined : made);
  reportTrouble(ports, cached, source, asked);
  return asked;
}

/**
 * Reports skipped records and a refused price series to operators. It does not report the regular
 * outcomes `ok` and `empty`. It also does not report a missing trait floor if the provider never
 * has trait floors.
 */
function reportTrouble(
  { report }: PollPricesPorts,
  { contract }: ContractRecord,
  { provider }: PriceSource,
  { series, answer }: Asked,
): void {
  if (answer === undefined) return;
  const { outcome, skipped = {} } = answer;
  reportSkipped(report, { contract, series, provider, skipped });
  if (isAnswer(outcome)) return;
  if (outcome.kind === 'unsupported' && outcome.reason === 'traits') return;
  report('series_not_answered', { contract, series, provider, ...outcome });
}

function newestOf({ answer }: Asked): PricePoint | undefined {
  if (answer?.outcome.kind !== 'ok') return undefined;
  return answer.outcome.value.reduce<PricePoint | undefined>(
    (newest, point) => (newest === undefined || point.time > newest.time ? point : newest),
    undefined,
  );
}
