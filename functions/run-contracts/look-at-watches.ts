import type { Decimal } from '#shared/domain/market/decimal.ts';
import { type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { Part, Point } from '#shared/domain/market/point.ts';
import type { EvaluateMessage, JudgeMessage } from '#shared/domain/messages/contract-message.ts';
import type { ListMessage } from '#shared/domain/messages/list-message.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { type ContractRecord, partsOf, wantedOf } from '#shared/domain/polling/contract-record.ts';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import { retryingConflicts, VersionConflictError } from '#shared/domain/version-conflict.ts';
import { type Evidence, judgeWatch } from '#shared/domain/watching/judge-watch.ts';
import { GREATEST, type Reach } from '#shared/domain/watching/ladder.ts';
import { metricsOf, partOf, readMetric } from '#shared/domain/watching/metric.ts';
import { nextInstant, type Watch, type WatchId } from '#shared/domain/watching/watch.ts';
import type { RunContractsPorts } from './ports.ts';

/** With less time left a look goes on in another invocation. */
const TIME_TO_STOP = 10 * SECOND;
const WATCHES_AT_ONCE = 10;

/**
 * Judges the watches that the newest and all unjudged observations reach, and no others; then,
 * all its effects being on the table, takes the observations off the contract.
 */
export async function lookAtWatches(
  ports: RunContractsPorts,
  record: ContractRecord,
  cadenceMinutes: number,
  from?: EvaluateMessage['from'],
): Promise<void> {
  const upTo = from?.upTo ?? record.seq;
  const look: Look = { view: asOf(record, upTo), upTo, cadenceMinutes };
  const { view } = look;
  if (from === undefined) await recordHistory(ports, view);
  let begun = false;
  for (const reach of remaining(reachesOf(look), from)) {
    let after = positionOn(reach, from);
    do {
      if (begun && ports.remainingTime() < TIME_TO_STOP) {
        await goOnLater(ports, record, cadenceMinutes, {
          upTo,
          ...nameOf(reach),
          ...(after && { after }),
        });
        return;
      }
      begun = true;
      const { entries, next } = await ports.watchesReached(reach, after);
      await judgeAll(ports, look, entries);
      after = next;
    } while (after !== undefined);
  }
  await checkpoint(ports, record, upTo);
}

/**
 * Looks after one watch: judges the instant that it has come to, and tells its list of alerts that
 * nobody has taken over. Where no answer from the instant or later is in yet, one is wanted.
 */
export async function judgeDueWatch(
  ports: RunContractsPorts,
  { contract, cadenceMinutes, ...id }: JudgeMessage,
): Promise<void> {
  const record = await ports.getContract(contract);
  const watch =
    record === undefined
      ? await readWatch(ports, { contract, ...id })
      : await judgeOne(
          ports,
          { view: record, upTo: record.seq, cadenceMinutes },
          { contract, ...id },
        );
  if (watch === undefined) return;
  // Also of a contract that was forgotten: a mute may have held what it said.
  await ports.sendToLists(outboxMessage(watch, Math.floor(ports.now() / MINUTE)));
  const instant = nextInstant(watch);
  if (record !== undefined && instant !== undefined && instant <= ports.now()) {
    await wantAnswer(ports, record, partOfWatch(watch), instant);
  }
}

async function wantAnswer(
  ports: RunContractsPorts,
  { contract }: ContractRecord,
  part: Part,
  after: Instant,
): Promise<void> {
  await retryingConflicts(async () => {
    const record = await ports.getContract(contract);
    const wanted = record?.wanted[part];
    if (record?.parts[part] === undefined || (wanted !== undefined && wanted >= after)) return;
    await ports.putContract({ ...record, wanted: { ...record.wanted, [part]: after } });
  });
}

/** What a look goes by: the contract up to a number, and the cadence in force. */
type Look = {
  readonly view: ContractRecord;
  readonly upTo: number;
  readonly cadenceMinutes: number;
};

/** The record without observations above a number: a continuation sees what its look saw. */
function asOf(record: ContractRecord, upTo: number): ContractRecord {
  return { ...record, unjudged: record.unjudged.filter(({ seq }) => seq <= upTo) };
}

async function recordHistory(ports: RunContractsPorts, view: ContractRecord): Promise<void> {
  for (const { part, point } of view.unjudged) {
    if (point.kind === 'price') await ports.recordHistory(view.contract, part, point);
  }
}

/** What the newest and the unjudged observations reach: per metric and unit, both ladders. */
function reachesOf({ view, upTo }: Look): readonly Reach[] {
  return partsOf(view).flatMap(([part]) => {
    const { newest, unjudged } = evidenceOf(view, upTo, part);
    const points = [...unjudged, ...(newest === undefined ? [] : [newest])].map(
      ({ point }) => point,
    );
    return metricsOf(part).flatMap((metric) => {
      const byUnit = Map.groupBy(
        points.flatMap((point) => reading(metric, point)),
        ({ unit }) => unit,
      );
      return [...byUnit].flatMap(([unit, values]): Reach[] => {
        const numbers = values.map(({ value }) => value);
        return [
          { contract: view.contract, metric, unit, ladder: 'falling', value: least(numbers) },
          { contract: view.contract, metric, unit, ladder: 'rising', value: greatest(numbers) },
        ];
      });
    });
  });
}

/** Where a point stands on the ladders of a metric; "no trade" stands above every number. */
function reading(metric: Reach['metric'], point: Point) {
  if (point.kind === 'empty') return [{ unit: 'eth', value: GREATEST }];
  const read = readMetric(metric, point);
  return read === undefined ? [] : [read];
}

/**
 * What is known of a part up to a number. Where something newer has come meanwhile, a new watch
 * waits for the look at that: it must start with the newest.
 */
function evidenceOf(view: ContractRecord, upTo: number, part: Part): Evidence {
  const unjudged = view.unjudged.filter((observation) => observation.part === part);
  const known = view.parts[part];
  const last = unjudged.at(-1);
  if (known?.newest === undefined) return { newest: last, unjudged, answeredAt: known?.answeredAt };
  if (known.newest.seq > upTo) return { newest: last, unjudged, answeredAt: undefined };
  const newest =
    last?.seq === known.newest.seq
      ? last
      : { part, seq: known.newest.seq, point: known.newest.point };
  return { newest, unjudged, answeredAt: known.answeredAt };
}

async function judgeAll(
  ports: RunContractsPorts,
  look: Look,
  ids: readonly WatchId[],
): Promise<void> {
  for (let start = 0; start < ids.length; start += WATCHES_AT_ONCE) {
    const together = ids.slice(start, start + WATCHES_AT_ONCE);
    const judged = await Promise.all(together.map((id) => judgeOne(ports, look, id)));
    const outgoing = judged.flatMap((watch) => (watch === undefined ? [] : outboxMessage(watch)));
    if (outgoing.length > 0) await ports.sendToLists(outgoing);
  }
}

/** A watch whose judgement fails is reported, and the look goes on: others are not to wait for it. */
async function judgeOne(
  ports: RunContractsPorts,
  look: Look,
  id: WatchId,
): Promise<Watch | undefined> {
  return await retryingConflicts(async () => {
    const watch = await readWatch(ports, id);
    if (watch === undefined) return undefined;
    const judged = await judge(ports, look, watch);
    return judged === watch ? watch : await ports.putWatch(judged);
  });
}

/** A watch that cannot be read is reported, too. */
async function readWatch(ports: RunContractsPorts, id: WatchId): Promise<Watch | undefined> {
  try {
    return await ports.getWatch(id);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    ports.report('watch_judgement_failed', { ...id, error });
    return undefined;
  }
}

async function judge(
  ports: RunContractsPorts,
  { view, upTo, cadenceMinutes }: Look,
  watch: Watch,
): Promise<Watch> {
  const evidence = await withRecorded(ports, watch, evidenceOf(view, upTo, partOfWatch(watch)));
  try {
    return judgeWatch(watch, evidence, { now: ports.now(), cadenceMinutes });
  } catch (error) {
    const { tenant, list, rule, contract } = watch;
    ports.report('watch_judgement_failed', { tenant, list, rule, contract, error });
    return watch;
  }
}

/** What an episode has seen, and what held at an instant gone by, is read from the history. */
async function withRecorded(
  ports: RunContractsPorts,
  watch: Watch,
  evidence: Evidence,
): Promise<Evidence> {
  const since = watch.firedAt ?? nextInstant(watch);
  const newest = evidence.newest?.point.time;
  if (since === undefined || newest === undefined || newest <= since) return evidence;
  try {
    const recorded = await ports.recordedSince(watch.contract, partOfWatch(watch), since);
    return { ...evidence, recorded };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    ports.report('history_unreadable', { contract: watch.contract, error });
    return evidence;
  }
}

function partOfWatch({ meaning }: Watch): Part {
  return partOf(meaning.metric);
}

/** Told once for its last alert; `again` makes it another message, since one may be lost. */
function outboxMessage(
  { tenant, list, rule, contract, outbox }: Watch,
  again?: number,
): readonly Outgoing<ListMessage>[] {
  const last = outbox.at(-1);
  if (last === undefined) return [];
  const message: ListMessage = { kind: 'watch', tenant, list, rule, contract };
  return [{ message, deduplication: JSON.stringify([message, last.id, again]) }];
}

/**
 * Takes what this look has judged off the contract, and the wants that it has met: those whose
 * part was answered after the instant they name.
 */
async function checkpoint(
  ports: RunContractsPorts,
  record: ContractRecord,
  upTo: number,
): Promise<void> {
  let known: ContractRecord | undefined = record;
  while (known !== undefined) {
    const next = judgedUpTo(known, record, upTo);
    if (next === undefined) return;
    try {
      await ports.putContract(next);
      return;
    } catch (error) {
      if (!(error instanceof VersionConflictError)) throw error;
      known = await ports.getContract(record.contract);
    }
  }
}

function judgedUpTo(
  known: ContractRecord,
  looked: ContractRecord,
  upTo: number,
): ContractRecord | undefined {
  const unjudged = known.unjudged.filter(({ seq }) => seq > upTo);
  const unmet = wantedOf(known).filter(([part, after]) => {
    const answeredAt = looked.parts[part]?.answeredAt;
    return known.parts[part] !== undefined && !(answeredAt !== undefined && answeredAt > after);
  });
  const nothingDone =
    unjudged.length === known.unjudged.length && unmet.length === wantedOf(known).length;
  return nothingDone ? undefined : { ...known, unjudged, wanted: Object.fromEntries(unmet) };
}

type From = NonNullable<EvaluateMessage['from']>;

async function goOnLater(
  ports: RunContractsPorts,
  { contract, version }: ContractRecord,
  cadenceMinutes: number,
  from: From,
): Promise<void> {
  ports.report('look_continued', { contract, upTo: from.upTo });
  const message = { kind: 'evaluate' as const, contract, cadenceMinutes, from };
  await ports.sendToContracts([{ message, deduplication: JSON.stringify([message, version]) }]);
}

/** The reaches from where a look stopped; all of them where that is not among them any more. */
function remaining(reaches: readonly Reach[], from: From | undefined): readonly Reach[] {
  const start = from === undefined ? -1 : reaches.findIndex((reach) => isAt(reach, from));
  return start === -1 ? reaches : reaches.slice(start);
}

function isAt(reach: Reach, { ladder, metric, unit }: From): boolean {
  return reach.ladder === ladder && reach.metric === metric && reach.unit === unit;
}

/** Where the look stopped on a reach; nowhere, where the reach has another range by now. */
function positionOn(reach: Reach, from: From | undefined): From['after'] {
  const same = from !== undefined && isAt(reach, from) && from.value === reach.value.toString();
  return same ? from.after : undefined;
}

function nameOf({ ladder, metric, unit, value }: Reach): Omit<From, 'upTo' | 'after'> {
  return { ladder, metric, unit, value: value.toString() };
}

function least(numbers: readonly Decimal[]): Decimal {
  return numbers.reduce((low, number) => (number < low ? number : low), GREATEST);
}

function greatest(numbers: readonly Decimal[]): Decimal {
  return numbers.reduce((high, number) => (number > high ? number : high), -GREATEST);
}
