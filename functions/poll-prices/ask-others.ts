import { defined } from '#shared/domain/defined.ts';
import type { PricePoint } from '#shared/domain/market/point.ts';
import { type Part, seriesOf } from '#shared/domain/market/price-series.ts';
import { areOfOneOrigin, type Provider } from '#shared/domain/market/provider.ts';
import { isAnswer, isLacking } from '#shared/domain/market/upstream.ts';
import { type ContractRecord, isLackedBy } from '#shared/domain/polling/contract-record.ts';
import { isReportedBy, waysOf } from '#shared/domain/polling/due-work.ts';
import { compareOpinions, needsSecondOpinion } from '#shared/domain/polling/second-opinion.ts';
import { callOnce } from '#shared/use-cases/governed-call.ts';
import { type Asked, askedOf, fetchPart, reportSkipped } from './ask-part.ts';
import type { PollPricesPorts, PriceSource } from './ports.ts';
import { hasTimeFor } from './time-to-stop.ts';

/**
 * Completes the answer of the planned provider. Other providers replace a missing value. A provider
 * of another origin confirms or disputes a new floor of the first provider.
 */
export async function withOthers(
  ports: PollPricesPorts,
  planned: PriceSource,
  hint: ContractRecord,
  asked: Asked,
  signal: AbortSignal,
): Promise<Asked> {
  reportTrouble(ports, hint, planned, asked);
  const { part, answer } = asked;
  if (answer !== undefined && isAnswer(answer.outcome)) {
    if (planned !== ports) return withoutPage(asked);
    if (answer.outcome.kind === 'empty') return asked;
    return await withSecondOpinion(ports, hint, asked, signal);
  }
  const lackedBy = planned === ports ? [] : lacking(planned, asked);
  for (const source of mayBeAsked(ports, hint)) {
    if (source === planned || !isReportedBy(source.provider, part)) continue;
    const instead = await ask(ports, source, hint, part, signal);
    if (instead.answer !== undefined && isAnswer(instead.answer.outcome))
      return { ...withoutPage(instead), ...defined({ statistics: asked.statistics }), lackedBy };
    lackedBy.push(...lacking(source, instead));
  }
  return { ...asked, lackedBy };
}

/** The other providers, but for those that lack the contract. */
function mayBeAsked({ others, now }: PollPricesPorts, hint: ContractRecord) {
  return others.filter(({ provider }) => !isLackedBy(hint, provider, now()));
}

function lacking({ provider }: PriceSource, { answer }: Asked): Provider[] {
  return answer !== undefined && isLacking(answer.outcome) ? [provider] : [];
}

/** The past is not filled from pages of another provider, or that another contradicts. */
function withoutPage({ page: _ofAnother, ...asked }: Asked): Asked {
  return asked;
}

async function withSecondOpinion(
  ports: PollPricesPorts,
  hint: ContractRecord,
  asked: Asked,
  signal: AbortSignal,
): Promise<Asked> {
  const { part, answer } = asked;
  const floor = newestOf(asked);
  if (answer === undefined || floor === undefined || !seriesOf(part).hasGlitches) return asked;
  const voters = mayBeAsked(ports, hint).filter(
    ({ provider }) => isReportedBy(provider, part) && !areOfOneOrigin(provider, ports.provider),
  );
  if (voters.length === 0 || !needsSecondOpinion(hint, floor, ports.now())) return asked;
  const lackedBy: Provider[] = [];
  for (const source of voters) {
    const { provider } = source;
    const opinion = await ask(ports, source, hint, part, signal);
    const other = newestOf(opinion);
    lackedBy.push(...lacking(source, opinion));
    if (other === undefined) continue;
    const opinions = [
      { provider: ports.provider, floor },
      { provider, floor: other },
    ] as const;
    const verdict = compareOpinions(hint, ...opinions, ports.now());
    if (verdict.kind === 'disputed') {
      ports.report('floor_disputed', { contract: hint.contract, reason: verdict.reason });
    }
    const judged = { ...asked, answer: { ...answer, opinions }, lackedBy };
    const isOwn =
      verdict.kind === 'single' || (verdict.kind === 'agreed' && verdict.floor === floor);
    return isOwn ? judged : withoutPage(judged);
  }
  return { ...asked, answer: { ...answer, isAlone: true }, lackedBy };
}

async function ask(
  ports: PollPricesPorts,
  source: PriceSource,
  hint: ContractRecord,
  part: Part,
  signal: AbortSignal,
): Promise<Asked> {
  const made = await callOnce(
    source,
    waysOf(part, source.provider),
    (call, askedAt) => fetchPart(source, hint, part, call, askedAt, signal),
    signal,
    (slot) => hasTimeFor(slot, ports),
  );
  const asked = askedOf(part, made.call === undefined ? undefined : made);
  reportTrouble(ports, hint, source, asked);
  return asked;
}

/**
 * Reports skipped records and a refused part to operators. It does not report `ok` and `empty`,
 * which are regular answers, or the missing floors of traits of a provider that never has them.
 */
function reportTrouble(
  { report }: PollPricesPorts,
  { contract }: ContractRecord,
  { provider }: PriceSource,
  { part, answer }: Asked,
): void {
  if (answer === undefined) return;
  const { outcome, skipped = {} } = answer;
  reportSkipped(report, { contract, part, provider, skipped });
  if (isAnswer(outcome)) return;
  if (outcome.kind === 'unsupported' && outcome.reason === 'traits') return;
  report('part_not_answered', { contract, part, provider, ...outcome });
}

function newestOf({ answer }: Asked): PricePoint | undefined {
  if (answer?.outcome.kind !== 'ok') return undefined;
  return answer.outcome.value.reduce<PricePoint | undefined>(
    (newest, point) => (newest === undefined || point.time > newest.time ? point : newest),
    undefined,
  );
}
