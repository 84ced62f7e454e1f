import * as z from 'zod';
import { LIMITS } from '#shared/domain/limits.ts';
import { CollectionText } from '#shared/domain/market/collection-text.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { PARTS } from '#shared/domain/market/price-series.ts';
import { AlertRule, Moment } from '#shared/domain/rules/alert-rule.ts';
import { contradictionsIn, MemberRequest } from '#shared/domain/watchlists/watchlist-body.ts';
import { limitParameter, pageOf } from '#shared/http/cursor.ts';

export const ContractPath = z.object({ contract: ContractKey });

/** The cursors are contracts. */
export const ContractsQuery = pageOf(ContractKey);
export type ContractsQuery = z.output<typeof ContractsQuery>;

/** The name, slug or address of a collection. */
export const CollectionsQuery = z.strictObject({ query: CollectionText });
export type CollectionsQuery = z.output<typeof CollectionsQuery>;

/** More points than these look like one line on the widest screen. */
const MOST_POINTS = 2000;

export const PricesQuery = z.strictObject({
  part: z.enum(PARTS).default('floor'),
  from: Moment.optional(),
  to: Moment.optional(),
  /** Of a stretch of time four points may stay. */
  points: limitParameter(MOST_POINTS, 500, 4),
});
export type PricesQuery = z.output<typeof PricesQuery>;

const { contracts, days } = LIMITS.preview;

/** A rule to be tested on the past: by default on the last thirty days. */
export const PreviewBody = z
  .strictObject({
    rule: AlertRule,
    contracts: z.array(MemberRequest).min(1).max(contracts),
    from: Moment.optional(),
    to: Moment.optional(),
    days: z.int().min(1).max(days).optional(),
  })
  .superRefine(({ rule, ...body }, context) => {
    // A rule and its contracts must be valid together, as in a list.
    const list = { contracts: body.contracts, rules: [rule] };
    for (const { path, message } of contradictionsIn(list)) {
      const [member, , ...rest] = path;
      context.addIssue({
        code: 'custom',
        path: member === 'rules' ? ['rule', ...rest] : [...path],
        message,
      });
    }
    if (body.from !== undefined && body.days !== undefined) {
      context.addIssue({ code: 'custom', path: ['days'], message: 'expected not beside "from"' });
    }
  });
export type PreviewBody = z.output<typeof PreviewBody>;
