import { pollContract } from '#functions/poll-prices/poll-contract.ts';
import type { PollPricesPorts } from '#functions/poll-prices/ports.ts';
import type { RunContractsPorts } from '#functions/run-contracts/ports.ts';
import { runContracts } from '#functions/run-contracts/run-contracts.ts';
import type { Part } from '#shared/domain/market/price-series.ts';
import { type ContractRecord, partsOf } from '#shared/domain/polling/contract-record.ts';
import { waysOf } from '#shared/domain/polling/due-work.ts';
import type { LeasedCall } from '#shared/domain/polling/leased-call.ts';
import { PUNKS } from './builders.ts';
import type { World } from './world.ts';

const { signal } = new AbortController();

type Given = {
  /** What the planner has read of the contract. */
  readonly record?: ContractRecord | undefined;
  readonly parts?: readonly Part[];
  readonly cadenceMinutes?: number;
  readonly pollPorts?: Partial<PollPricesPorts>;
  readonly runPorts?: Partial<RunContractsPorts>;
};

/** Polls a contract at once, and evaluates its watches where the poll has changed it. */
export async function pollOnce(world: World, given: Given = {}): Promise<void> {
  const record = given.record ?? (await world.stores.contracts.get(PUNKS));
  if (record === undefined) throw new Error('no contract');
  const { parts = partsOf(record).map(([part]) => part), cadenceMinutes = 1 } = given;
  const ports = { ...world.ports.poll, ...given.pollPorts };
  const calls = await leaseOf(ports, parts);
  const poll = { record, parts, calls, startAt: world.now() };
  if ((await pollContract(ports, ports, poll, signal)) === undefined) return;
  const { contract } = record;
  const message = { kind: 'evaluate', contract, cadenceMinutes } as const;
  await runContracts({ ...world.runContractsPorts(), ...given.runPorts }, message);
}

async function leaseOf(
  { leaseCalls, provider }: PollPricesPorts,
  parts: readonly Part[],
): Promise<Readonly<Partial<Record<Part, LeasedCall>>>> {
  const lease = await leaseCalls(parts.map((part) => waysOf(part, provider)));
  const leased = parts.map((part, index) => [part, lease.granted ? lease.calls[index] : undefined]);
  return Object.fromEntries(leased);
}
