import * as z from 'zod';
import type { MarketSource } from '#infra/local/upstream/market-source.ts';
import type { TokenLine } from '#shared/domain/archive/import-line.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';
import { Cursor, JsonText, PAGE_SIZE, pageOf } from './pages.ts';

const Flag = z
  .string()
  .default('false')
  .transform((text) => text === 'true');
const Value = z.union([z.string(), z.number(), z.boolean()]).transform((value) => `${value}`);

export const TraitsQuery = z.object({
  format: z.enum(['decimal', 'hex']).default('decimal'),
  limit: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .optional(),
  cursor: Cursor,
  normalizeMetadata: Flag,
  media_items: Flag,
  body: JsonText.pipe(z.object({ traits: z.record(z.string(), Value) })),
});
export type TraitsQuery = z.output<typeof TraitsQuery>;

/** The tokens that have all the traits, in exactly the same spelling. */
export function traitsPage(source: MarketSource, contract: ContractKey, query: TraitsQuery) {
  const wanted = Object.entries(query.body.traits);
  const found = source.tokens(contract).filter((token) => {
    const traits = traitsOf(token);
    return wanted.every(([name, value]) => traits.get(name)?.has(value));
  });
  const size = Math.min(Math.max(query.limit ?? PAGE_SIZE, 1), PAGE_SIZE);
  const place = { skip: 0, size, page: 1, ...query.cursor };
  const body = pageOf(found, place, (token) => tokenRecord(token, query));
  return { status: 200, body: { ...body, page: `${body.page}`, page_size: `${body.page_size}` } };
}

const Metadata = z.object({
  name: z.string().optional(),
  attributes: z.array(
    z.object({
      trait_type: z.string(),
      value: Value,
    }),
  ),
});

function tokenRecord(token: TokenLine, query: TraitsQuery) {
  const { chain, ...record } = token;
  return {
    ...record,
    token_id: query.format === 'hex' ? `0x${BigInt(token.token_id).toString(16)}` : token.token_id,
    ...(query.normalizeMetadata ? { normalized_metadata: metadataOf(token) ?? null } : {}),
    ...(query.media_items ? { media: { status: 'host_unavailable' } } : {}),
  };
}

function metadataOf({ metadata }: TokenLine): z.output<typeof Metadata> | undefined {
  try {
    return Metadata.safeParse(JSON.parse(metadata ?? '')).data;
  } catch {
    return undefined;
  }
}

const knownTraits = new WeakMap<TokenLine, ReadonlyMap<string, ReadonlySet<string>>>();

/** The values of each trait; a name may occur more than once. */
function traitsOf(token: TokenLine): ReadonlyMap<string, ReadonlySet<string>> {
  const known = knownTraits.get(token);
  if (known !== undefined) return known;
  const traits = new Map<string, Set<string>>();
  for (const { trait_type, value } of metadataOf(token)?.attributes ?? []) {
    traits.set(trait_type, (traits.get(trait_type) ?? new Set()).add(value));
  }
  knownTraits.set(token, traits);
  return traits;
}
