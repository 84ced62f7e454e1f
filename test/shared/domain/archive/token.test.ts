import { describe, expect, it } from 'vitest';
import {
  archivedToken,
  formatToken,
  hasTraits,
  isTokenId,
  type Token,
  type Trait,
  tokenText,
  traitKey,
  traitsOf,
} from '#shared/domain/archive/token.ts';
import { aToken } from '#test/support/archive.ts';

const PLAIN = { format: 'decimal', normalizesMetadata: false, showsMedia: false } as const;
const has = (token: Token, wanted: readonly Trait[]) =>
  hasTraits(archivedToken(token), wanted.map(traitKey));
const ODD_NAMES = ['constructor', '__proto__', 'toString', 'two words', ' ', '', '🐵', 'a#b', 'Ä'];

describe('the traits of a token', () => {
  it.each(ODD_NAMES)('matches a token by a trait called %j', (name) => {
    const token = aToken(1, [[name, name]]);

    expect(has(token, [[name, name]])).toBe(true);
    expect(has(token, [[name, 'other']])).toBe(false);
    expect(has(aToken(2, []), [[name, name]])).toBe(false);
  });

  it('matches a token by either value of a trait that occurs twice', () => {
    const token = aToken(3943, [
      ['feature', 'mole'],
      ['feature', 'spots'],
    ]);

    expect(has(token, [['feature', 'mole']])).toBe(true);
    expect(has(token, [['feature', 'spots']])).toBe(true);
  });

  it('matches a token only if it has all traits, in the same case', () => {
    const token = aToken(1, [
      ['hat', 'Cap'],
      ['eyes', 'laser'],
    ]);

    expect(
      has(token, [
        ['hat', 'Cap'],
        ['eyes', 'laser'],
      ]),
    ).toBe(true);
    expect(
      has(token, [
        ['hat', 'Cap'],
        ['eyes', 'open'],
      ]),
    ).toBe(false);
    expect(has(token, [['hat', 'cap']])).toBe(false);
    expect(has(token, [['Hat', 'Cap']])).toBe(false);
  });

  it('reads traits with string, number and boolean values, and skips others', () => {
    const attributes = [
      { trait_type: 'level', value: 7 },
      { trait_type: 'pale', value: false },
      { trait_type: 'none', value: null },
      { trait_type: 5, value: 'x' },
      { value: 'no name' },
      'no object',
      null,
    ];

    expect(traitsOf({ metadata: JSON.stringify({ attributes }) })).toEqual([
      ['level', '7'],
      ['pale', 'false'],
    ]);
  });

  it.each([
    ['none', undefined],
    ['null', null],
    ['no JSON', '{"attributes": [{"trait_'],
    ['a text', '"metadata"'],
    ['null in JSON', 'null'],
    ['a list', '[]'],
    ['without attributes', '{"name": "#1"}'],
    ['with attributes of the wrong type', '{"attributes": {"hat": "cap"}}'],
    ['an object instead of a text', { attributes: [{ trait_type: 'hat', value: 'cap' }] }],
  ])('reads no traits from metadata that are %s', (_what, metadata) => {
    expect(traitsOf({ metadata })).toEqual([]);
  });

  it('gives each trait a key of its own', () => {
    const traits: Trait[] = [
      ['a', 'b'],
      ['ab', ''],
      ['', 'ab'],
      ['a","b', ''],
      ['b', 'a'],
      ['A', 'b'],
      ['\u00e9', ''],
      ['e\u0301', ''],
    ];

    expect(new Set(traits.map(traitKey)).size).toBe(traits.length);
  });
});

describe('the answer for a token', () => {
  it('returns a token with every member of the interface (null if unknown) and additional members', () => {
    const reported = formatToken(
      aToken(7, [], { name: 'Punks', list_price: { price: '1' } }),
      PLAIN,
    );

    expect(reported).toMatchObject({
      token_id: '7',
      name: 'Punks',
      owner_of: null,
      last_sale: null,
      rarity_rank: null,
      list_price: { price: '1' },
    });
  });

  it('returns the metadata of a token unchanged, even if they are malformed', () => {
    const metadata = '{"name": "broken';

    const reported = formatToken(aToken(7, [], { metadata }), {
      ...PLAIN,
      normalizesMetadata: true,
      showsMedia: true,
    });

    expect(reported).toMatchObject({ metadata, normalized_metadata: null });
    expect(reported.media).toEqual({
      status: 'host_unavailable',
      original_media_url: null,
      media_collection: null,
    });
  });

  it.each([
    { id: 0n, hex: '0x0' },
    { id: 255n, hex: '0xff' },
    { id: 2n ** 256n - 1n, hex: `0x${'f'.repeat(64)}` },
  ])('formats the id $hex in hex or decimal', ({ id, hex }) => {
    expect(formatToken(aToken(id, []), { ...PLAIN, format: 'hex' }).token_id).toBe(hex);
    expect(formatToken(aToken(id, []), PLAIN).token_id).toBe(`${id}`);
  });

  it('returns normalized metadata and media only if they are requested', () => {
    const record = { normalized_metadata: { name: 'x' }, media: { status: 'success' } };

    expect(formatToken(aToken(1, [], record), PLAIN)).toMatchObject({
      normalized_metadata: null,
      media: null,
    });
  });

  it("derives normalized metadata in the upstream's shape from the metadata text", () => {
    const metadata = JSON.stringify({
      name: 'Punk',
      image: 'ipfs://image',
      description: 5,
      attributes: [{ trait_type: 'hat', value: 'cap', display_type: 'string' }, 'none'],
    });

    const reported = formatToken(aToken(1, [], { metadata }), {
      ...PLAIN,
      normalizesMetadata: true,
      showsMedia: true,
    });

    expect(reported.normalized_metadata).toEqual({
      name: 'Punk',
      description: null,
      animation_url: null,
      external_link: null,
      external_url: null,
      image: 'ipfs://image',
      attributes: [
        {
          trait_type: 'hat',
          value: 'cap',
          display_type: 'string',
          max_value: null,
          trait_count: null,
          order: null,
        },
      ],
    });
    expect(reported.media).toMatchObject({ original_media_url: 'ipfs://image' });
  });

  it('returns the normalized metadata and media that the source reported', () => {
    const record = { normalized_metadata: { name: 'x' }, media: { status: 'success' } };
    const form = { ...PLAIN, normalizesMetadata: true, showsMedia: true };

    expect(formatToken(aToken(1, [], record), form)).toMatchObject(record);
  });
});

it.each([
  ['0', true],
  [`${2n ** 256n - 1n}`, true],
  [`${2n ** 256n}`, false],
  ['9'.repeat(500), false],
  ['-1', false],
  ['0x1', false],
  ['1.0', false],
  ['', false],
])('decides whether %s is a token id: %s', (text, is) => {
  expect(isTokenId(text)).toBe(is);
});

describe('the answer for an archived token', () => {
  const forms = [true, false].flatMap((showsMedia) =>
    [true, false].flatMap((normalizesMetadata) =>
      (['decimal', 'hex'] as const).map((format) => ({ format, normalizesMetadata, showsMedia })),
    ),
  );
  const reported = { normalized_metadata: { name: 'its own' }, media: { status: 'success' } };

  it.each(forms)('answers an archived token in the requested form: %j', (form) => {
    for (const record of [{}, reported, { owner_of: '🐵', media: null, more: [1, 'a'] }]) {
      const token = aToken(255, [['hat', 'cap']], record);

      const text = tokenText(archivedToken(token), form);

      expect(text).toBe(JSON.stringify(formatToken(token, form)));
    }
  });
});
