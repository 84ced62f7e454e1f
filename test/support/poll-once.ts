import { pollContract } from '#functions/poll-prices/poll-contract.ts';
import type { PollPricesPorts } from '#functions/poll-prices/ports.ts';
import type { RunContractsPorts } from '#functions/run-contracts/ports.ts';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import type { PriceSeriesName } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, seriesIn } from '#shared/domain/polling/contract-record.ts';
import { callsFor } from '#shared/domain/polling/due-work.ts';
import type { ReservedCall } from '#shared/domain/polling/reserved-call.ts';
import { PUNKS } from './builders.ts';
import type { World } from './world.ts';

const { signal } = new AbortController();

type Given = {
  /** The record that the planner has read. */
  readonly record?: ContractRecord | undefined;
  readonly series?: readonly PriceSeriesName[];
  readonly cadenceMinutes?: number;
  readonly pollPorts?: Partial<PollPricesPorts>;
  readonly runPorts?: Partial<RunContractsPorts>;
};

/** Polls a contract now, and evaluates its watches if the poll changed it. */
export async function pollOnce(world: World, given: Given = {}): Promise<void> {
  const record = given.record ?? (await world.stores.contracts.get(PUNKS));
  if (record === undefined) throw new Error('no contract');
  const { series = seriesIn(record).map(([name]) => name), cadenceMinutes = 1 } = given;
  const ports = { ...world.ports.poll, ...given.pollPorts };
  const calls = await reservationOf(ports, series);
  const poll = { record, series, calls, startAt: world.now() };
  if ((await pollContract(ports, ports, poll, signal)) === undefined) return;
  const { contract } = record;
  const message = { kind: 'evaluate', contract, cadenceMinutes } as const;
  await runContracts({ ...world.runContractsPorts(), ...given.runPorts }, message);
}

async function reservationOf(
  { reserveCalls, provider }: PollPricesPorts,
  series: readonly PriceSeriesName[],
): Promise<Readonly<Partial<Record<PriceSeriesName, ReservedCall>>>> {
  const reserve = await reserveCalls(series.map((name) => callsFor(name, provider)));
  const reserved = series.map((name, index) => [
    name,
    reserve.granted ? reserve.calls[index] : undefined,
  ]);
  return Object.fromEntries(reserved);
}
