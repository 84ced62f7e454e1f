import * as z from 'zod';
import type { Trait } from '#shared/domain/archive/token.ts';
import type { Forms } from '#shared/domain/forms.ts';
import { CHAINS, type Chain, ChainParameter, chainForm } from '#shared/domain/market/chains.ts';
import { ContractAddress, TraitObject } from '#shared/domain/market/contract.ts';
import { FloorInterval, PAGE_SIZE } from './pages.ts';

/** The maximum length of a cursor, whether ours or the upstream's. */
const Cursor = z
  .string()
  .min(1, 'expected a cursor from an earlier response')
  .max(4096, 'expected a cursor from an earlier response');

const Truth = z
  .enum(['true', 'false'], 'expected "true" or "false"')
  .transform((text) => text === 'true');

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'expected a whole number')
    .transform(Number)
    .pipe(
      z
        .number(`expected at most ${most}`)
        .min(least, `expected at least ${least}`)
        .max(most, `expected at most ${most}`),
    );

export const ContractPath = z.object({ address: ContractAddress });

/** The parameters of the traits search, without the traits. */
export const TraitsParameters = z.strictObject({
  chain: ChainParameter,
  format: z.enum(['decimal', 'hex'], 'expected "decimal" or "hex"').optional(),
  limit: wholeNumber(1, PAGE_SIZE).optional(),
  cursor: Cursor.optional(),
  normalizeMetadata: Truth.optional(),
  media_items: Truth.optional(),
});
export type TraitsParameters = z.output<typeof TraitsParameters>;

/** Maximum number of traits in a search. */
const MOST_TRAITS = 25;

const Traits = TraitObject.transform((traits, context): readonly Trait[] => {
  const entries = Object.entries(traits);
  const addIssue = (message: string, path: readonly string[] = []) => {
    context.issues.push({ code: 'custom', input: traits, message, path: [...path] });
  };
  if (entries.length === 0) addIssue('expected at least one trait');
  if (entries.length > MOST_TRAITS) addIssue(`expected at most ${MOST_TRAITS} traits`);
  return entries.flatMap(([name, value]) => {
    if (isTraitValue(value)) return [[name, `${value}`] as const];
    addIssue('expected a string', [name]);
    return [];
  });
});

function isTraitValue(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

export const TraitsBody = z.strictObject({ traits: Traits });

export const FloorParameters = z.strictObject({
  chain: ChainParameter.refine(
    hasFloors,
    'expected a chain with floor prices (any chain except flow and flow-testnet)',
  ),
  interval: FloorInterval,
  cursor: Cursor.optional(),
});
export type FloorParameters = z.output<typeof FloorParameters>;

function hasFloors({ operations }: Chain): boolean {
  return operations.includes('floor');
}

export function nftQueryForms(): Forms {
  return [
    [FloorParameters.shape.chain, chainForm(CHAINS.filter(hasFloors))],
    [
      Traits,
      {
        type: 'object',
        minProperties: 1,
        maxProperties: MOST_TRAITS,
        additionalProperties: { type: ['string', 'number', 'boolean'] },
      },
    ],
  ];
}

/** The default look-back of a lowest price, in days. */
const USUAL_DAYS = 7;

export const LowestParameters = z.strictObject({
  chain: ChainParameter,
  days: wholeNumber(1, 365).default(USUAL_DAYS),
  marketplace: z.enum(['opensea'], 'expected "opensea"').optional(),
});
export type LowestParameters = z.output<typeof LowestParameters>;
