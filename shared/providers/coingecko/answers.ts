import * as z from 'zod';
import { parseExactJson } from '#shared/clients/exact-json.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { FloorPoint, Outcome } from '#shared/domain/market/upstream.ts';
import { Currency, EMPTY, GARBAGE, isZero, Price } from '#shared/providers/prices.ts';

/*
 * CoinGecko's answers according to `@coingecko/coingecko-typescript`. Prices are JSON numbers, so
 * all their digits are read.
 */

/** The current floor. CoinGecko reports no time for it, so it gets the time of the request. */
export function readFloorNow(body: string, askedAt: Instant): Outcome<FloorPoint> {
  const parsed = CollectionAnswer.safeParse(parseExactJson(body));
  if (!parsed.success) return GARBAGE;
  const { floor_price: floor, native_currency_symbol: symbol } = parsed.data;
  const text = floor?.native_currency ?? undefined;
  if (isZero(text)) return EMPTY;
  const price = Price.safeParse(text);
  const currency = Currency.safeParse(symbol);
  if (!price.success || !currency.success) return GARBAGE;
  const usd = Price.safeParse(floor?.usd);
  return {
    kind: 'ok',
    value: {
      time: askedAt,
      price: price.data,
      currency: currency.data,
      ...(usd.success ? { usd: usd.data } : {}),
      marketplaces: ['coingecko'],
    },
  };
}

/**
 * The error code of an answer; a 401 or 403 has a code of five digits.
 *
 * Source: docs.coingecko.com, "Common Errors & Rate Limit".
 */
export function errorCodeOf(body: string): string | undefined {
  const { error, status } = ErrorAnswer.safeParse(parseExactJson(body)).data ?? {};
  return (error?.status ?? status)?.error_code;
}

const CollectionAnswer = z.lazy(() =>
  z.object({
    native_currency_symbol: z.string().nullish(),
    floor_price: z
      .object({
        native_currency: z.string().nullish(),
        // An unreadable dollar value does not invalidate the price.
        usd: z.string().nullish().catch(undefined),
      })
      .nullish(),
  }),
);

const Status = z.object({ error_code: z.string().optional() });
const ErrorAnswer = z.lazy(() =>
  z.object({
    error: z.object({ status: Status.optional() }).optional().catch(undefined),
    status: Status.optional(),
  }),
);
