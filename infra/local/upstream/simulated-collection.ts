import type { TokenLine } from '#shared/domain/archive/import-line.ts';
import { type Trait, traitKey, traitKeysOf } from '#shared/domain/archive/token.ts';
import { findChain } from '#shared/domain/market/chains.ts';
import { type ContractKey, contractKey, contractOf } from '#shared/domain/market/contract.ts';
import {
  DAY,
  formatInstant,
  HOUR,
  type Instant,
  MINUTE,
  SECOND,
} from '#shared/domain/market/instant.ts';
import type { Floor, MarketContract, Trade } from './market-source.ts';

export type SimulatedCollection = MarketContract & {
  /** The floor in a slot of ten minutes; every slot has one. */
  readonly floor: (slot: number) => Floor;
  /**
   * The floor of tokens with the given traits, higher for rarer ones; undefined if no token has
   * them.
   */
  readonly traitFloor: (traits: readonly Trait[], slot: number) => Floor | undefined;
  /** The trade in a slot of twelve minutes, if there is one. */
  readonly trade: (slot: number) => Trade | undefined;
  readonly tokens: () => readonly TokenLine[];
};

export const FLOOR_EVERY = 10 * MINUTE;
export const TRADE_EVERY = 12 * MINUTE;

/** Simulated collections with invented names; their marketplace is called simulated. */
export function simulatedCollections(seed: number): readonly SimulatedCollection[] {
  return COLLECTIONS.map((collection, index) => {
    const chance = createChance(seed, index);
    const contract = keyOf(collection, chance);
    return createCollection(collection, contract, chance);
  });
}

const COLLECTIONS: readonly Collection[] = [
  { name: 'Moonlit Apes', chain: 'eth', floor: 125_000, swing: 450, tokens: 400 },
  { name: 'Granite Punks', chain: 'eth', floor: 412_000, swing: 300, tokens: 500 },
  { name: 'Moonlit Cats', chain: 'eth', floor: 8_600, swing: 600, tokens: 300 },
  { name: 'Paper Birds', chain: 'base', floor: 2_300, swing: 500, tokens: 200 },
  { name: 'Rusty Robots', chain: 'eth', floor: 31_000, swing: 350, tokens: 250 },
  { name: 'Lantern Foxes', chain: 'eth', floor: 17_400, swing: 400, tokens: 350 },
];

type Collection = {
  readonly name: string;
  readonly chain: string;
  /** The price around which the floor moves, in 10^-4 ETH. */
  readonly floor: number;
  /** The amplitude of the swing within an hour, in basis points. */
  readonly swing: number;
  readonly tokens: number;
};

/** The full price, and the surcharge for a trait that half of the tokens have, in basis points. */
const WHOLE = 10_000;
const PREMIUM = 500;

const SWING_EVERY = 24 * MINUTE;

/** A pseudorandom number between two bounds, both inclusive, that depends only on its name. */
type Chance = {
  (low: number, high: number, ...name: readonly number[]): number;
  /** The numbers whose names begin with the given parts. */
  readonly under: (...parts: readonly number[]) => Chance;
};

/** The purpose of a random number, as the first part of its name. */
const DRAW = {
  address: 1,
  swing: 2,
  wave: 3,
  jitter: 4,
  trade: 5,
  token: 6,
  dollar: 7,
  shift: 8,
  traits: 9,
} as const;

/** The numbers of a seed. */
function createChance(...seed: readonly number[]): Chance {
  return chanceAfter(mix(0x9e3779b9, seed));
}

function chanceAfter(state: number): Chance {
  const chance = (low: number, high: number, ...name: readonly number[]) =>
    low + (mix(state, name) % (high - low + 1));
  return Object.assign(chance, {
    under: (...parts: readonly number[]) => chanceAfter(mix(state, parts)),
  });
}

/** Hashes integers to 32 bits, after those of `state`; each step is the finalizer of murmur3. */
function mix(state: number, parts: readonly number[]): number {
  let mixed = state;
  for (const part of parts) {
    mixed = Math.imul(mixed ^ part, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return mixed >>> 0;
}

function createCollection(
  collection: Collection,
  contract: ContractKey,
  chance: Chance,
): SimulatedCollection {
  const { name, chain, tokens } = collection;
  const { address: token_address } = contractOf(contract);
  const shared = { chain, token_address };
  const marketplace_address = `0x${hex(chance, 40, DRAW.trade)}`;
  let minted: readonly TokenLine[] | undefined;
  const counts = new Map<string, number>();
  const tokensOf = () => {
    minted ??= Array.from({ length: tokens }, (_, index) => ({
      ...shared,
      token_id: `${index + 1}`,
      contract_type: 'ERC721',
      name,
      symbol: 'SIM',
      metadata: JSON.stringify({
        name: `${name} #${index + 1}`,
        attributes: attributesOf(index + 1, chance),
      }),
    }));
    return minted;
  };
  /** The floor in a slot, as a share (in basis points) of the floor of the whole collection. */
  const floorOf = (slot: number, share: number): Floor => {
    const time = slot * FLOOR_EVERY + chance(0, 90, DRAW.jitter, slot) * SECOND;
    const price = Math.round((priceAt(collection, chance, time) * share) / WHOLE);
    const record = {
      ...shared,
      floor_price: fixed(price, 4),
      floor_price_usd: fixed(Math.round((price * centsPerEth(time)) / 10_000), 2),
      currency: 'eth',
      marketplace: [{ name: 'simulated marketplace', logo: '' }],
      timestamp: formatInstant(time),
    };
    return { time, record };
  };

  return {
    contract,
    name,

    floor: (slot) => floorOf(slot, WHOLE),

    traitFloor: (traits, slot) => {
      const named = JSON.stringify(traits);
      const having = counts.get(named) ?? tokensOf().filter(hasAll(traits)).length;
      counts.set(named, having);
      if (having === 0) return undefined;
      const premium = Math.round((PREMIUM * (tokens - having)) / having);
      const letters = Array.from(named, (letter) => letter.charCodeAt(0));
      return floorOf(slot, WHOLE + premium + chance(0, PREMIUM, DRAW.traits, slot, ...letters));
    },

    trade: (slot) => {
      const draw = chance.under(DRAW.trade, slot);
      if (draw(1, 100, 1) > 60) return undefined;
      const time = slot * TRADE_EVERY + draw(0, TRADE_EVERY / SECOND - 1, 2) * SECOND;
      const premium = draw(-500, 3000, 3);
      const price = Math.round((priceAt(collection, chance, time) * (10_000 + premium)) / 10_000);
      const inDollars = draw(1, 16, 4) === 1;
      const record = {
        ...shared,
        transaction_hash: `0x${hex(draw, 64, 5)}`,
        transaction_index: `${draw(0, 200, 6)}`,
        token_ids: [`${draw(1, tokens, 7)}`],
        seller_address: `0x${hex(draw, 40, 8)}`,
        buyer_address: `0x${hex(draw, 40, 9)}`,
        marketplace_address,
        price: inDollars ? `${price * centsPerEth(time)}` : `${price}${'0'.repeat(14)}`,
        payment_token: inDollars ? 'USDC' : 'ETH',
        block_timestamp: formatInstant(time).slice(0, 19),
        block_number: `${Math.floor(time / (12 * SECOND))}`,
        block_hash: `0x${hex(draw, 64, 10)}`,
      };
      return { time, record };
    },

    tokens: tokensOf,
  };
}

function hasAll(wanted: readonly Trait[]) {
  return (token: TokenLine) => {
    const had = traitKeysOf(token);
    return wanted.every((trait) => had.has(traitKey(trait)));
  };
}

/**
 * The price in 10^-4 ETH: slow waves, plus a swing that turns every 24 minutes so that a demo shows
 * movement.
 */
function priceAt({ floor, swing }: Collection, chance: Chance, time: Instant): number {
  const turns = (turn: number) =>
    (turn % 2 === 0 ? 1 : -1) * chance(swing / 2, swing, DRAW.swing, turn);
  const shift = chance(0, SWING_EVERY - 1, DRAW.shift);
  const waves = [
    { every: 6 * HOUR, height: 250 },
    { every: DAY, height: 600 },
    { every: 7 * DAY, height: 1200 },
  ].map(({ every, height }, index) =>
    between(time, every, (turn) => chance(-height, height, DRAW.wave, index, turn)),
  );
  const move = waves.reduce((sum, wave) => sum + wave, between(time + shift, SWING_EVERY, turns));
  return Math.round((floor * (10_000 + move)) / 10_000);
}

/** The price of ETH in cents for the whole market, around 3,000 dollars. */
function centsPerEth(time: Instant): number {
  const chance = createChance(DRAW.dollar);
  return Math.round(
    between(time, 6 * HOUR, (turn) => chance(295_000, 305_000, turn)) +
      between(time, 3 * DAY, (turn) => chance(-20_000, 20_000, 1, turn)),
  );
}

/** Linear interpolation between the values at the previous and the next multiple of `every`. */
function between(time: Instant, every: number, valueAt: (turn: number) => number): number {
  const turn = slotOf(time, every);
  const before = valueAt(turn);
  return before + ((valueAt(turn + 1) - before) * (time - turn * every)) / every;
}

const slotOf = (time: Instant, every: number) => Math.floor(time / every);

function keyOf({ chain, name }: Collection, chance: Chance): ContractKey {
  const found = findChain(chain);
  if (found === undefined) throw new RangeError(`${name} is on no known chain`);
  return contractKey({ chain: found, address: `0x${hex(chance, 40, DRAW.address)}` });
}

function hex(chance: Chance, digits: number, ...name: readonly number[]): string {
  const word = chance.under(...name);
  const words = Array.from({ length: digits / 8 }, (_, index) =>
    word(0, 0xfffffffe, index).toString(16).padStart(8, '0'),
  );
  return words.join('');
}

const TRAITS: readonly (readonly [string, readonly string[]])[] = [
  ['Background', ['Blue', 'Green', 'Grey', 'Orange']],
  ['Body', ['Plain', 'Striped', 'Gold']],
  ['Eyes', ['Open', 'Sleepy', 'Laser', '3D']],
  ['Hat', ['None', 'Cap', 'Crown']],
];

function attributesOf(token: number, chance: Chance) {
  return TRAITS.map(([trait_type, values], index) => ({
    trait_type,
    value: values[chance(0, values.length - 1, DRAW.token, token, index)],
  }));
}

/** An integer in units of 10^-decimals as a decimal text. */
function fixed(value: number, decimals: number): string {
  const digits = `${value}`.padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
