import { lookBackDays, type Part, type PricePoint } from '#shared/domain/market/point.ts';
import { areOfOneOrigin } from '#shared/domain/market/provider.ts';
import { isAnswer } from '#shared/domain/market/upstream.ts';
import type { ContractRecord } from '#shared/domain/polling/contract-record.ts';
import { isReportedBy, waysOf } from '#shared/domain/polling/due-work.ts';
import { compareOpinions, needsSecondOpinion } from '#shared/domain/polling/second-opinion.ts';
import { callOnce } from '#shared/use-cases/governed-call.ts';
import { type Asked, askedOf, fetchPart } from './ask-part.ts';
import type { PriceSource, RunContractsPorts } from './ports.ts';
import { hasTimeFor } from './time-to-stop.ts';

/**
 * What the planned provider answered, or what another answers in its stead; a floor of the first
 * with a second opinion, where one is due and a provider of another origin is there.
 */
export async function withOthers(
  ports: RunContractsPorts,
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
  for (const source of ports.others) {
    if (source === planned || !isReportedBy(source.provider, part)) continue;
    const instead = await ask(ports, source, hint, part, signal);
    if (instead.answer !== undefined && isAnswer(instead.answer.outcome))
      return withoutPage(instead);
  }
  return asked;
}

/** The past is not filled from pages of another provider, or that another contradicts. */
function withoutPage({ page: _ofAnother, ...asked }: Asked): Asked {
  return asked;
}

async function withSecondOpinion(
  ports: RunContractsPorts,
  hint: ContractRecord,
  asked: Asked,
  signal: AbortSignal,
): Promise<Asked> {
  const { part, answer } = asked;
  const floor = newestOf(asked);
  if (answer === undefined || floor === undefined || lookBackDays(part) !== undefined) return asked;
  const voters = ports.others.filter(({ provider }) => !areOfOneOrigin(provider, ports.provider));
  if (voters.length === 0 || !needsSecondOpinion(hint, floor, ports.now())) return asked;
  for (const source of voters) {
    const { provider } = source;
    const other = newestOf(await ask(ports, source, hint, part, signal));
    if (other === undefined) continue;
    const opinions = [
      { provider: ports.provider, floor },
      { provider, floor: other },
    ] as const;
    const verdict = compareOpinions(hint, ...opinions, ports.now());
    if (verdict.kind === 'disputed') {
      ports.report('floor_disputed', { contract: hint.contract, reason: verdict.reason });
    }
    const judged = { ...asked, answer: { ...answer, opinions } };
    const isOwn =
      verdict.kind === 'single' || (verdict.kind === 'agreed' && verdict.floor === floor);
    return isOwn ? judged : withoutPage(judged);
  }
  return asked;
}

async function ask(
  ports: RunContractsPorts,
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

/** Reports a refused part to operators; `ok` and `empty` are regular answers. */
function reportTrouble(
  { report }: RunContractsPorts,
  { contract }: ContractRecord,
  { provider }: PriceSource,
  { part, answer }: Asked,
): void {
  if (answer === undefined || isAnswer(answer.outcome)) return;
  report('part_not_answered', { contract, part, provider, ...answer.outcome });
}

function newestOf({ answer }: Asked): PricePoint | undefined {
  if (answer?.outcome.kind !== 'ok') return undefined;
  return answer.outcome.value.reduce<PricePoint | undefined>(
    (newest, point) => (newest === undefined || point.time > newest.time ? point : newest),
    undefined,
  );
}
