import * as z from 'zod';
import type { MarketSource } from '#infra/local/upstream/market-source.ts';
import { defined } from '#shared/domain/defined.ts';
import { ChainParameter } from '#shared/domain/market/chains.ts';
import { ContractAddress, type ContractKey, contractKey } from '#shared/domain/market/contract.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { Cursor } from './pages.ts';
import {
  currentFloor,
  FloorInterval,
  floorPage,
  lowestRecord,
  priceSummary,
} from './price-answers.ts';
import { TraitsQuery, traitsPage } from './trait-answers.ts';

export type LocalOperation = 'floor' | 'current_floor' | 'lowestprice' | 'price' | 'traits';

/** A requested operation on a contract; the two operations on trades have a number of days. */
export type Question = {
  readonly operation: LocalOperation;
  readonly contract: ContractKey;
  readonly days?: number;
};

export type MarketRequest = {
  readonly operation: LocalOperation;
  readonly address: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A parsed request: a rejection, or the question with its answer at any time. */
export type ReadRequest =
  | { readonly kind: 'refused'; readonly answer: Answer }
  | {
      readonly kind: 'asked';
      readonly question: Question;
      readonly answerAt: (now: Instant) => Answer;
    };

export type Answer = { readonly status: number; readonly body: unknown };

/** Parses a request to the interface; rejects invalid ones like the real service. */
export function readRequest(source: MarketSource, request: MarketRequest): ReadRequest {
  return readers[request.operation](source, request);
}

type Reader = (source: MarketSource, request: MarketRequest) => ReadRequest;

/** Creates the parser of an operation from its parameters and its answers. */
function reader<Query>(
  parameters: z.ZodType<Query>,
  answer: (source: MarketSource, contract: ContractKey, query: Query, now: Instant) => Answer,
  daysOf: (query: Query) => number | undefined = () => undefined,
): Reader {
  return (source, { operation, address, query, body }) => {
    const place = z.object({ chain: ChainParameter, address: ContractAddress });
    const contract = place.safeParse({ ...query, address });
    const asked = parameters.safeParse({ ...query, body });
    if (!contract.success || !asked.success) {
      const issues = [...(contract.error?.issues ?? []), ...(asked.error?.issues ?? [])];
      const message = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
      return { kind: 'refused', answer: { status: 400, body: { message } } };
    }
    const key = contractKey(contract.data);
    const days = daysOf(asked.data);
    return {
      kind: 'asked',
      question: { operation, contract: key, ...(days === undefined ? {} : { days }) },
      answerAt: (now) => answer(source, key, asked.data, now),
    };
  };
}

const Days = z
  .string()
  .regex(/^\d{1,5}$/, 'expected a number of days')
  .default('7')
  .transform(Number);
const PriceDays = Days.refine((count) => count >= 1 && count <= 365, 'expected 1 to 365 days');

const readers: Readonly<Record<LocalOperation, Reader>> = {
  floor: reader(
    z.object({ interval: FloorInterval, cursor: Cursor }).transform(defined),
    floorPage,
  ),
  current_floor: reader(z.object({}), currentFloor),
  lowestprice: reader(z.object({ days: Days }), lowestRecord, ({ days }) => days),
  price: reader(z.object({ days: PriceDays }), priceSummary, ({ days }) => days),
  traits: reader(TraitsQuery, traitsPage),
};
