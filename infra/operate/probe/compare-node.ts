import { type Check, compareAnswer, type Finding } from './finding.ts';
import type { Exchange } from './record-exchanges.ts';

/**
 * Checks that a node accepts the largest requests that its client tries first: batches, and ranges
 * of 2,000 blocks.
 */
export function compareNode(exchanges: readonly Exchange[]): readonly Finding[] {
  const compare = (answer: string, check: Check, expected: string, found: string) =>
    compareAnswer('ethereum-node', answer)(check, expected === found, expected, found);
  const bodies = exchanges.map(({ request: { body = '' } }) => String(body));
  const batches = bodies.filter((body) => body.startsWith('['));
  const isRefused = bodies.some(
    (body) => !body.startsWith('[') && batches.some((batch) => batch.includes(receiptIn(body))),
  );
  const ofBatches =
    batches.length === 0
      ? []
      : [compare('receipts', 'batches', 'accepted', isRefused ? 'rejected' : 'accepted')];
  const asked = exchanges.flatMap((exchange) => blocksIn(exchange) ?? []);
  const answered = exchanges.filter(hasResult).flatMap((exchange) => blocksIn(exchange) ?? []);
  const ofBlocks =
    asked.length === 0
      ? []
      : [compare('transfers', 'block range', blocks(asked), blocks(answered))];
  return [...ofBatches, ...ofBlocks];
}

const blocks = (counts: readonly number[]) => `${Math.max(0, ...counts)} blocks`;

/** The transaction hash in a single (not batched) call for a receipt. */
function receiptIn(body: string): string {
  const [, hash] = /"eth_getTransactionReceipt","params":\["(0x[0-9a-f]{64})"\]/.exec(body) ?? [];
  return hash ?? 'no receipt';
}

/** The number of blocks in a request for logs. */
function blocksIn({ request: { body = '' } }: Exchange): number | undefined {
  const [, first, last] = /"fromBlock":"(0x\w+)","toBlock":"(0x\w+)"/.exec(String(body)) ?? [];
  return first === undefined || last === undefined ? undefined : Number(last) - Number(first) + 1;
}

function hasResult({ response }: Exchange): boolean {
  return typeof response !== 'string' && /"result":\s*\[/.test(response.body);
}
