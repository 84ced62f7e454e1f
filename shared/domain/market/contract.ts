import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { ADDRESS } from './address.ts';
import { CHAINS, type Chain, DEFAULT_CHAIN, findChain } from './chains.ts';

/**
 * An NFT contract by its key `<chain>:<address>`, chain by slug, address in lower case; of its tokens
 * with some traits, `eth:0x…?Eyes=Laser&Fur=Solid+Gold`.
 */
export type ContractKey = `${string}:0x${string}`;

export type Contract = {
  readonly chain: Chain;
  readonly address: ContractAddress;
  /** Only tokens that have all of these are meant, each a type and a value; sorted. */
  readonly traits?: Traits;
};

type Traits = readonly (readonly [type: string, value: string])[];

const LONGEST_TRAIT_TEXT = 64;
const TraitText = z.string().trim().min(1).max(LONGEST_TRAIT_TEXT);
const Trait = z.tuple([TraitText, TraitText]);
const MOST_TRAITS = 3;

/**
 * An object whose members are traits. Any name may be a trait's, also `__proto__`, which a zod record
 * drops.
 */
export const TraitObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object of trait names and values',
);

/** The traits that tokens must have, as people write them: `{"Fur": "Solid Gold"}`. */
export const TraitFilter = TraitObject.transform(
  (written, context): Readonly<Record<string, string>> => {
    const entries = Object.entries(written);
    const addIssue = (message: string, path: readonly string[] = []) => {
      context.issues.push({ code: 'custom', input: written, message, path: [...path] });
    };
    if (entries.length === 0) addIssue('expected at least one trait');
    if (entries.length > MOST_TRAITS) addIssue(`expected at most ${MOST_TRAITS} traits`);
    const traits = entries.flatMap(([name, value]) => {
      const trait = Trait.safeParse([name, value]);
      if (trait.success) return [trait.data];
      addIssue(`expected a name and a text of 1 to ${LONGEST_TRAIT_TEXT} characters`, [name]);
      return [];
    });
    return Object.fromEntries(traits);
  },
);
export type TraitFilter = z.output<typeof TraitFilter>;

/** The address of a contract: `0x` and 40 hex digits; reported in lower case. */
export const ContractAddress = z
  .string()
  .regex(new RegExp(`^${ADDRESS}$`), 'expected an address: 0x and 40 hex digits')
  .transform((text): `0x${string}` => `0x${text.slice(2).toLowerCase()}`);
export type ContractAddress = z.output<typeof ContractAddress>;

/** A contract as people write it, `eth:0xb47e…`; the chain by name, slug or hex id. */
export const ContractKey = z.string().transform((given, context): ContractKey => {
  const [text, query] = inTwo(decoded(given));
  const separator = text.lastIndexOf(':');
  const chain = findChain(text.slice(0, Math.max(separator, 0)));
  const address = ContractAddress.safeParse(text.slice(separator + 1));
  if (chain !== undefined && address.success) {
    const key = contractKey({ chain, address: address.data });
    if (query === undefined) return key;
    const traits = traitsIn(query);
    const ofTraits = traits && withTraits(key, traits);
    if (ofTraits !== undefined) return ofTraits;
    context.issues.push({
      code: 'custom',
      input: given,
      message: `expected one to ${MOST_TRAITS} traits behind the contract, ${LONGEST_KEY} characters in all, for example ${key}?Fur=Solid+Gold`,
    });
    return z.NEVER;
  }
  context.issues.push({
    code: 'custom',
    input: given,
    message:
      chain === undefined
        ? `expected a contract as <chain>:<address> with a known chain, ${guess(text, address.data)}`
        : 'expected a contract as <chain>:<address>, the address as 0x and 40 hex digits',
  });
  return z.NEVER;
});

/** The pattern of a contract that is written by its key. */
export function contractPattern(): string {
  // As much of a trait as is surely taken: nothing that is blank, and short enough for three.
  const text = '([A-Za-z0-9]|%[C-F][0-9A-F])[\\w%.*+-]{0,28}';
  return `${wholePattern()}(${traitsPattern(text)})?`;
}

export function contractForms(): Forms {
  const example = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';
  const traitText = { type: 'string', pattern: "^[A-Za-z0-9][A-Za-z0-9 .'()-]{0,28}$" } as const;
  return [
    [ContractKey, { pattern: `^${contractPattern()}$`, examples: [example] }],
    [ContractAddress, { examples: [example.replace('eth:', '')] }],
    [
      TraitFilter,
      {
        type: 'object',
        minProperties: 1,
        maxProperties: MOST_TRAITS,
        propertyNames: traitText,
        additionalProperties: traitText,
        examples: [{ Fur: 'Solid Gold' }],
      },
    ],
  ];
}

/** Forms of what answers have: all that was taken, also where no form of requests says it. */
export function contractFormsOfAnswers(): Forms {
  return [
    [ContractKey, { pattern: `^${wholePattern()}(${traitsPattern('[\\w%.*-][\\w%.*+-]*')})?$` }],
    [
      TraitFilter,
      {
        type: 'object',
        propertyNames: { type: 'string' },
        additionalProperties: { type: 'string' },
      },
    ],
  ];
}

function wholePattern(): string {
  return `(${CHAINS.map(({ slug }) => slug).join('|')}):${ADDRESS}`;
}

function traitsPattern(text: string): string {
  return `\\?${text}=${text}(&${text}=${text}){0,${MOST_TRAITS - 1}}`;
}

/** Other names of chains, from marketplaces and explorers. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ ethereum: 'eth', mainnet: 'eth', matic: 'polygon', bnb: 'bsc', avax: 'avalanche' },
  ...{ 'arbitrum-one': 'arbitrum', arb: 'arbitrum', op: 'optimism' },
};

/** Finds a chain by its own names, or as marketplaces and explorers name it. */
export function findChainByAnyName(word: string): Chain | undefined {
  return findChain(word) ?? findChain(ownMember(OTHER_NAMES, word.toLowerCase()) ?? '');
}

/** The contract that is probably meant: without a chain one of Ethereum. */
function guess(text: string, address: ContractAddress | undefined): string {
  const chain = text.slice(0, Math.max(text.lastIndexOf(':'), 0));
  const meant = chain === '' ? DEFAULT_CHAIN : findChainByAnyName(chain);
  return meant === undefined || address === undefined
    ? 'for example eth:0xb47e…'
    : `did you mean "${meant.slug}:${address}"?`;
}

/** The key under which a contract is known everywhere in floorwatch. */
export function contractKey({ chain, address, traits = [] }: Contract): ContractKey {
  const query = new URLSearchParams(
    traits.map(([type, value]): [string, string] => [type, value]),
  ).toString();
  return traits.length === 0 ? `${chain.slug}:${address}` : `${chain.slug}:${address}?${query}`;
}

/** It stands in keys of items, in messages and in paths. */
const LONGEST_KEY = 256;

/** The key of those tokens of a contract that have some traits; undefined where it is too long. */
export function withTraits(contract: ContractKey, traits: TraitFilter): ContractKey | undefined {
  const sorted = Object.entries(traits).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const key = contractKey({ ...contractOf(wholeOf(contract)), traits: sorted });
  return key.length <= LONGEST_KEY ? key : undefined;
}

/** The whole contract, of whatever traits a key is. */
export function wholeOf(contract: ContractKey): ContractKey {
  return inTwo(contract)[0] as ContractKey;
}

/** Whether tokens with some traits alone are meant. */
export function isOfTraits(contract: ContractKey): boolean {
  return contractOf(contract).traits !== undefined;
}

/** What a collection is called, with the traits that are meant: `Apes (Fur: Solid Gold)`. */
export function nameWithTraits(name: string, contract: ContractKey): string {
  const { traits = [] } = contractOf(contract);
  const words = traits.map(([type, value]) => `${type}: ${value}`);
  return words.length === 0 ? name : `${name} (${words.join(', ')})`;
}

/** In a path a client may have encoded the key once more than it is. */
function decoded(given: string): string {
  if (!/^[^?]*%3f/i.test(given)) return given;
  try {
    return decodeURIComponent(given);
  } catch {
    return given;
  }
}

function inTwo(text: string): readonly [contract: string, query: string | undefined] {
  const start = text.indexOf('?');
  return start < 0 ? [text, undefined] : [text.slice(0, start), text.slice(start + 1)];
}

function traitsIn(query: string): TraitFilter | undefined {
  return TraitFilter.safeParse(Object.fromEntries(new URLSearchParams(query))).data;
}

/** Chain and address of a key; throws for a key that was never one. */
export function contractOf(key: ContractKey): Contract {
  const [text, query] = inTwo(key);
  const separator = text.lastIndexOf(':');
  const chain = findChain(text.slice(0, separator));
  if (chain === undefined) throw new RangeError(`no known chain in contract ${key}`);
  const address = ContractAddress.parse(text.slice(separator + 1));
  if (query === undefined) return { chain, address };
  return { chain, address, traits: [...new URLSearchParams(query)] };
}
