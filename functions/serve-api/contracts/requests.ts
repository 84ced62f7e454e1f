import * as z from 'zod';
import { LIMITS } from '#shared/domain/limits.ts';
import { CollectionText } from '#shared/domain/market/collection-text.ts';
import { ContractKey } from '#shared/domain/market/contract.ts';
import { PRICE_SERIES_NAMES } from '#shared/domain/market/price-series.ts';
import { AlertRule, isOfHoldings, isOfList, Moment } from '#shared/domain/rules/alert-rule.ts';
import { tokenCount } from '#shared/domain/watchlists/value-member.ts';
import { contradictionsIn, MemberRequest } from '#shared/domain/watchlists/watchlist-body.ts';
import { pageOf, pointsParameter } from '#shared/http/cursor.ts';

export const ContractPath = z.lazy(() => z.object({ contract: ContractKey }));

/** A page of contracts. The cursor is the key of a contract. */
export const ContractsQuery = z.lazy(() => pageOf(ContractKey));
export type ContractsQuery = z.output<typeof ContractsQuery>;

/** The name, slug or address of a collection. */
export const CollectionsQuery = z.lazy(() => z.strictObject({ query: CollectionText }));
export type CollectionsQuery = z.output<typeof CollectionsQuery>;

export const PricesQuery = z.lazy(() =>
  z.strictObject({
    series: z.enum(PRICE_SERIES_NAMES).default('floor'),
    from: Moment.optional(),
    to: Moment.optional(),
    points: pointsParameter(),
  }),
);
export type PricesQuery = z.output<typeof PricesQuery>;

const { contracts, days } = LIMITS.preview;

/** A rule to test on past prices, by default on the prices of the last 30 days. */
export const PreviewBody = z.lazy(() =>
  z
    .strictObject({
      rule: AlertRule,
      contracts: z.array(MemberRequest).min(1).max(LIMITS.answer.contracts),
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
      for (const [index, member] of isOfHoldings(rule) ? body.contracts.entries() : []) {
        if (member.cost !== undefined) continue;
        context.addIssue({ code: 'custom', path: ['contracts', index], message: NO_COST });
      }
      // The value of a list counts as one contract of the preview.
      if (!isOfList(rule) && body.contracts.length > contracts) {
        const message = `expected at most ${contracts} contracts, found ${body.contracts.length}`;
        context.addIssue({ code: 'custom', path: ['contracts'], message });
      }
      const isHeld = body.contracts.some((member) => tokenCount(member) > 0);
      if (isOfList(rule) && !isHeld) {
        context.addIssue({ code: 'custom', path: ['contracts'], message: NOTHING_HELD });
      }
      if (body.from !== undefined && body.days !== undefined) {
        context.addIssue({ code: 'custom', path: ['days'], message: 'not allowed with "from"' });
      }
    }),
);
const NOTHING_HELD =
  'expected a contract with an "amount", for example {"contract": "eth:0x…", "amount": 2}';
const NO_COST =
  'expected a contract with a "cost", because the rule compares the price with it, for example {"contract": "eth:0x…", "cost": {"price": "12.5"}}';

export type PreviewBody = z.output<typeof PreviewBody>;
