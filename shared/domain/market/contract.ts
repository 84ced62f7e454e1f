import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';
import { ownMember } from '#shared/domain/own-member.ts';
import { ADDRESS } from './address.ts';
import { CHAINS, type Chain, DEFAULT_CHAIN, findChain } from './chains.ts';
import { isListValue, RATIO_SIGN, VALUE_DIGEST, VALUE_SIGN } from './derived-key.ts';

/**
 * The key of an NFT contract, `<chain>:<address>`, with the slug of the chain and the address in
 * lower case. Other keys are longer:
 * - tokens with some traits: `eth:0x…?Eyes=Laser&Fur=Solid+Gold`
 * - a ratio of floors, by its contracts: `eth:0x…~eth:0x…`
 * - a list value, by its first held contract and a digest: `eth:0x…@4f1a…`
 */
export type ContractKey = `${string}:0x${string}`;

export type Contract = {
  readonly chain: Chain;
  readonly address: ContractAddress;
  /** The traits that a token must have to be selected, sorted by name. */
  readonly traits?: Traits;
};

type Traits = readonly (readonly [type: string, value: string])[];

const LONGEST_TRAIT_TEXT = 64;
const TraitText = z.lazy(() => z.string().trim().min(1).max(LONGEST_TRAIT_TEXT));
const Trait = z.lazy(() => z.tuple([TraitText, TraitText]));
const MOST_TRAITS = 3;

/** An object of traits. Not a zod record: it would drop a trait with the name `__proto__`. */
export const TraitObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object of trait names and values',
);

/** The traits that tokens must have, in requests: `{"Fur": "Solid Gold"}`. */
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
      addIssue(`expected a name and a value of 1 to ${LONGEST_TRAIT_TEXT} characters each`, [name]);
      return [];
    });
    return Object.fromEntries(traits);
  },
);
export type TraitFilter = z.output<typeof TraitFilter>;

/** The address of a contract: `0x` and 40 hex digits, converted to lower case. */
export const ContractAddress = z.lazy(() =>
  z
    .string()
    .regex(new RegExp(`^${ADDRESS}$`), 'expected an address: 0x and 40 hex digits')
    .transform((text): `0x${string}` => `0x${text.slice(2).toLowerCase()}`),
);
export type ContractAddress = z.output<typeof ContractAddress>;

/**
 * A contract in requests, `eth:0xb47e…`, with the name, slug or hex id of the chain. The contracts
 * of a ratio have `~` between them.
 */
export const ContractKey = z.string().transform((given, context): ContractKey => {
  const [, held, digest] = LIST_VALUE.exec(given) ?? [];
  if (held !== undefined) {
    const key = oneKey(held, context);
    return key === undefined ? z.NEVER : `${key}${VALUE_SIGN}${digest}`;
  }
  const keys = given.split(RATIO_SIGN).map((text) => oneKey(text, context));
  const [first, ...of] = keys.flatMap((key) => key ?? []);
  if (first === undefined || of.length + 1 < keys.length) return z.NEVER;
  const key = of.length === 0 ? first : ratioKey(first, of);
  if (key !== undefined) return key;
  context.issues.push({ code: 'custom', input: given, message: RATIO_EXPECTED });
  return z.NEVER;
});

/** The key of a list value: a contract without traits, and a digest of all held tokens. */
const LIST_VALUE = new RegExp(`^([^?]*)${VALUE_SIGN}(${VALUE_DIGEST})$`);

/**
 * Parses the key of a single contract. If the key is invalid, adds an issue and returns undefined.
 */
function oneKey(given: string, context: z.RefinementCtx): ContractKey | undefined {
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
      message: `expected one to ${MOST_TRAITS} traits after the contract, at most ${LONGEST_KEY} characters in total, for example ${key}?Fur=Solid+Gold`,
    });
    return undefined;
  }
  context.issues.push({
    code: 'custom',
    input: given,
    message:
      chain === undefined
        ? `expected a contract as <chain>:<address> with a known chain; ${guess(text, address.data)}`
        : 'expected a contract as <chain>:<address>, with an address of 0x and 40 hex digits',
  });
  return undefined;
}

/** The pattern of contract keys in requests, without ratios and list values. */
export function contractPattern(): string {
  // Stricter than the parser, so that every match is valid: the names and values of traits are not
  // blank, and three traits always fit in a key.
  const text = '([A-Za-z0-9]|%[C-F][0-9A-F])[\\w%.*+-]{0,28}';
  return `${wholePattern()}(${traitsPattern(text)})?`;
}

/** The pattern of the end of a list value's key: the separator and the digest. */
function valuePattern(): string {
  return `${VALUE_SIGN}${VALUE_DIGEST}`;
}

/** The pattern of the end of a ratio's key: the contracts with which the first one is compared. */
function comparedPattern(): string {
  return `(${RATIO_SIGN}${wholePattern()}){1,${MOST_COMPARED}}`;
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

/**
 * Schemas for responses. They accept every stored key, also keys that the request schema rejects.
 */
export function contractFormsOfAnswers(): Forms {
  return [
    [
      ContractKey,
      {
        pattern: `^${wholePattern()}(${traitsPattern('[\\w%.*-][\\w%.*+-]*')}|${comparedPattern()}|${valuePattern()})?$`,
      },
    ],
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

/** Finds a chain by its own names, or by its names on marketplaces and explorers. */
export function findChainByAnyName(word: string): Chain | undefined {
  return findChain(word) ?? findChain(ownMember(OTHER_NAMES, word.toLowerCase()) ?? '');
}

/** Suggests a contract for a malformed key. If the key names no chain, suggests Ethereum. */
function guess(text: string, address: ContractAddress | undefined): string {
  const chain = text.slice(0, Math.max(text.lastIndexOf(':'), 0));
  const meant = chain === '' ? DEFAULT_CHAIN : findChainByAnyName(chain);
  return meant === undefined || address === undefined
    ? 'for example eth:0xb47e…'
    : `did you mean "${meant.slug}:${address}"?`;
}

/** The key of a contract, which identifies it everywhere in floorwatch. */
export function contractKey({ chain, address, traits = [] }: Contract): ContractKey {
  const query = new URLSearchParams(
    traits.map(([type, value]): [string, string] => [type, value]),
  ).toString();
  return traits.length === 0 ? `${chain.slug}:${address}` : `${chain.slug}:${address}?${query}`;
}

/** Maximum length of a contract key. Item keys, messages and paths contain it. */
const LONGEST_KEY = 256;

/** The key of the tokens of a contract that have some traits; undefined if the key is too long. */
export function withTraits(contract: ContractKey, traits: TraitFilter): ContractKey | undefined {
  const sorted = Object.entries(traits).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const key = contractKey({ ...contractOf(wholeCollection(contract)), traits: sorted });
  return key.length <= LONGEST_KEY ? key : undefined;
}

/**
 * The contract of a key without its traits. For a derived contract, which combines several
 * contracts, returns the first of them.
 */
export function wholeCollection(contract: ContractKey): ContractKey {
  return inTwo(firstIn(contract))[0] as ContractKey;
}

function firstIn(key: ContractKey): string {
  const [first = key] = key.split(isListValue(key) ? VALUE_SIGN : RATIO_SIGN);
  return first;
}

/** Maximum number of contracts with which a contract is compared, so that all fit in a key. */
export const MOST_COMPARED = 4;

/** The message about an invalid ratio. */
export const RATIO_EXPECTED = `expected a contract without traits, compared with one to ${MOST_COMPARED} other contracts without traits`;

/**
 * The key of a ratio: the floor of a contract divided by another floor, or by the average of
 * several floors. Undefined if the contract is compared with itself, with no contract or with too
 * many, or if one of the contracts has traits.
 */
export function ratioKey(
  contract: ContractKey,
  of: readonly ContractKey[],
): ContractKey | undefined {
  const others = [...new Set(of)].toSorted();
  const isPossible =
    others.length > 0 &&
    others.length <= MOST_COMPARED &&
    !others.includes(contract) &&
    [contract, ...others].every((key) => wholeCollection(key) === key);
  return isPossible ? ([contract, ...others].join(RATIO_SIGN) as ContractKey) : undefined;
}

/** Whether a key selects only tokens with some traits. */
export function isOfTraits(contract: ContractKey): boolean {
  return contractOf(contract).traits !== undefined;
}

/** The name of a collection with the selected traits: `Apes (Fur: Solid Gold)`. */
export function nameWithTraits(name: string, contract: ContractKey): string {
  const { traits = [] } = contractOf(contract);
  const words = traits.map(([type, value]) => `${type}: ${value}`);
  return words.length === 0 ? name : `${name} (${words.join(', ')})`;
}

/** Decodes a key in which a client has percent-encoded the `?`, as is common in paths. */
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

/** The chain, the address and the traits of a key. Throws RangeError if its chain is unknown. */
export function contractOf(key: ContractKey): Contract {
  const [text, query] = inTwo(firstIn(key));
  const separator = text.lastIndexOf(':');
  const chain = findChain(text.slice(0, separator));
  if (chain === undefined) throw new RangeError(`no known chain in contract ${key}`);
  const address = ContractAddress.parse(text.slice(separator + 1));
  if (query === undefined) return { chain, address };
  return { chain, address, traits: [...new URLSearchParams(query)] };
}
