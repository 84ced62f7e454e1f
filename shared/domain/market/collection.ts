import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { Line, onOneLine, shortened } from '#shared/domain/words.ts';
import { type ContractKey, nameWithTraits } from './contract.ts';

/** The URL of an image: a public URL or, in a local stack, the URL of a fake service. */
const ImageUrl = z
  .string()
  .max(300)
  .regex(/^(https:\/\/|http:\/\/127\.0\.0\.1:\d+\/)[\w.~:/?#[\]@!$&()*+,;=%-]+$/)
  .refine((text) => URL.canParse(text));

/**
 * The description of a collection by a provider. Its texts are untrusted: the owner of the
 * collection wrote them, and anyone can create a collection.
 */
export const Collection = z.object({
  name: Line,
  slug: Line,
  image: ImageUrl.optional(),
});
export type Collection = z.output<typeof Collection>;

/**
 * Builds a collection from the texts of a provider. The name becomes one line, shortened to the
 * limit; an empty name becomes the slug. An unusable image URL is omitted.
 */
export function collectionFrom(given: {
  readonly name: string;
  readonly slug: string;
  readonly image?: string | undefined;
}): Collection | undefined {
  const line = onOneLine(given.name);
  const most = LIMITS.text.characters;
  // A character may have two UTF-16 code units, so a name that is too long keeps half as many
  // characters.
  const name = shortened(line, line.length > most ? most / 2 : most);
  const { data: image } = ImageUrl.safeParse(given.image);
  const { slug } = given;
  return Collection.safeParse({
    ...{ slug, name: name === '' ? slug : name },
    ...defined({ image }),
  }).data;
}

/** The display name of a contract: its name in a list, or else its name at the provider. */
export function shownName(
  { contract, name }: { readonly contract: ContractKey; readonly name?: string | undefined },
  collection: Collection | undefined,
): string | undefined {
  return name ?? (collection && nameWithTraits(collection.name, contract));
}
