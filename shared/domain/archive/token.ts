import { hash } from 'node:crypto';
import * as z from 'zod';
import { ExactJsonText } from '#shared/domain/json-text.ts';
import type { ContractKey } from '#shared/domain/market/contract.ts';

/** A token as reported by its source. */
export type Token = {
  readonly contract: ContractKey;
  readonly id: bigint;
  /** The record of section 2.2 of the NFT data interface, and any additional members. */
  readonly record: TokenRecord;
};

export type TokenRecord = Readonly<Record<string, unknown>>;

/**
 * A token in the archive. The import prepares its texts, so that a search does not parse the
 * record.
 */
export type ArchivedToken = {
  readonly contract: ContractKey;
  readonly id: bigint;
  /** The distinct keys of its traits, separated by spaces. */
  readonly traits: string;
  /** The record of section 2.2 in the default format. */
  readonly record: string;
  /** The normalized metadata and the media reported by the source. */
  readonly reported?: string;
};

/** The name and the value of a trait, exactly as in the token's metadata. */
export type Trait = readonly [name: string, value: string];

/** The format options of a page of tokens. */
export type TokenForm = {
  readonly format: 'decimal' | 'hex';
  readonly normalizesMetadata: boolean;
  readonly showsMedia: boolean;
};

const MOST_ID = 2n ** 256n - 1n;

/** Whether a text is a decimal token id of at most 256 bits. */
export function isTokenId(text: string): boolean {
  return /^\d{1,78}$/.test(text) && BigInt(text) <= MOST_ID;
}

export function archivedToken(token: Token): ArchivedToken {
  const { contract, id, record } = token;
  const { normalized_metadata, media } = record;
  const reported = {
    ...(isObject(normalized_metadata) && { normalized_metadata }),
    ...(isObject(media) && { media }),
  };
  return {
    contract,
    id,
    traits: [...traitKeysOf(record)].join(' '),
    record: JSON.stringify(formatToken(token, PLAIN)),
    ...(Object.keys(reported).length > 0 && { reported: JSON.stringify(reported) }),
  };
}

const PLAIN: TokenForm = { format: 'decimal', normalizesMetadata: false, showsMedia: false };

/**
 * Whether a token has all given traits, by their keys. A token may have two values for one trait
 * name. All keys have the same length and no spaces, so a substring match is exact.
 */
export function hasTraits(
  { traits }: Pick<ArchivedToken, 'traits'>,
  wanted: readonly string[],
): boolean {
  return wanted.every((trait) => traits.includes(trait));
}

/** The record of an archived token as text. */
export function tokenText(token: ArchivedToken, form: TokenForm): string {
  const { contract, id, record, reported = '{}' } = token;
  const isPlain = form.format === 'decimal' && !form.normalizesMetadata && !form.showsMedia;
  if (isPlain) return record;
  const known = { ...JSON.parse(record), ...JSON.parse(reported) };
  return JSON.stringify(formatToken({ contract, id, record: known }, form));
}

/** The traits of a token; empty if its metadata is missing or invalid. */
export function traitsOf(record: TokenRecord): readonly Trait[] {
  const { attributes = [] } = metadataOf(record) ?? {};
  return attributes.flatMap((attribute) => {
    const { data } = Attribute.safeParse(attribute);
    return data === undefined ? [] : [[data.trait_type, `${data.value}`] as const];
  });
}

/** The keys of a token's traits. */
export function traitKeysOf(record: TokenRecord): ReadonlySet<string> {
  return new Set(traitsOf(record).map(traitKey));
}

/** The key of a trait: a hash, because names and values may contain any character. */
export function traitKey(trait: Trait): string {
  const digest = hash('sha256', JSON.stringify(trait), 'buffer');
  return digest.subarray(0, 16).toString('base64url');
}

/** The record of section 2.2; unreported members are null. */
export function formatToken(
  { id, record }: Token,
  form: TokenForm,
): Readonly<Record<string, unknown>> {
  return {
    ...NOTHING_REPORTED,
    ...record,
    token_id: form.format === 'hex' ? `0x${id.toString(16)}` : id.toString(),
    normalized_metadata: form.normalizesMetadata ? normalizedMetadata(record) : null,
    media: form.showsMedia ? media(record) : null,
  };
}

/** The members of section 2.2 that a source may omit. */
const NOTHING_REPORTED = Object.fromEntries(
  [
    ...['token_address', 'token_id', 'owner_of', 'token_hash', 'block_number'],
    ...['block_number_minted', 'contract_type', 'token_uri', 'metadata', 'normalized_metadata'],
    ...['media', 'minter_address', 'last_token_uri_sync', 'last_metadata_sync', 'amount', 'name'],
    ...['symbol', 'possible_spam', 'verified_collection', 'rarity_rank', 'rarity_label'],
    ...['rarity_percentage', 'last_sale'],
  ].map((member) => [member, null]),
);

const Text = z.string().nullable().catch(null).default(null);
const Metadata = z.lazy(() =>
  z.looseObject({
    name: Text,
    description: Text,
    animation_url: Text,
    external_link: Text,
    external_url: Text,
    image: Text,
    attributes: z.array(z.unknown()).catch([]).default([]),
  }),
);
const Attribute = z.lazy(() =>
  z.looseObject({
    trait_type: z.string(),
    value: z.union([z.string(), z.number(), z.boolean()]),
  }),
);

function metadataOf({ metadata }: TokenRecord): z.output<typeof Metadata> | undefined {
  return ExactJsonText.pipe(Metadata).safeParse(metadata).data;
}

/** The metadata in the upstream's format: as reported by the source, or parsed from the text. */
function normalizedMetadata(record: TokenRecord): unknown {
  if (isObject(record.normalized_metadata)) return record.normalized_metadata;
  const metadata = metadataOf(record);
  if (metadata === undefined) return null;
  const { name, description, animation_url, external_link, external_url, image } = metadata;
  const attributes = metadata.attributes.flatMap((attribute) => {
    const { data } = Attribute.safeParse(attribute);
    return data === undefined ? [] : [{ ...NO_FURTHER_WORDS, ...data }];
  });
  return { name, description, animation_url, external_link, external_url, image, attributes };
}

const NO_FURTHER_WORDS = { display_type: null, max_value: null, trait_count: null, order: null };

/** The archive stores no previews, so the record refers only to the original. */
function media(record: TokenRecord): unknown {
  if (isObject(record.media)) return record.media;
  const original_media_url = metadataOf(record)?.image ?? null;
  return { status: 'host_unavailable', original_media_url, media_collection: null };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
