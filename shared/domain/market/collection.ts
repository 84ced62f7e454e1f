import * as z from 'zod';
import { defined } from '#shared/domain/defined.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { Line, onOneLine, shortened } from '#shared/domain/words.ts';
import { type ContractKey, nameWithTraits } from './contract.ts';

/** An address of an image: of the internet, or for a stack on this very machine, of its doubles. */
const ImageUrl = z
  .string()
  .max(300)
  .regex(/^(https:\/\/|http:\/\/127\.0\.0\.1:\d+\/)[\w.~:/?#[\]@!$&()*+,;=%-]+$/)
  .refine((text) => URL.canParse(text));

/** What a provider says a collection is: texts of its owner, which anyone can be. */
export const Collection = z.object({
  name: Line,
  slug: Line,
  image: ImageUrl.optional(),
});
export type Collection = z.output<typeof Collection>;

/**
 * A collection by the texts of a provider. A name is cut to a line, of which at least the slug is
 * left; an image that cannot be shown is left out.
 */
export function collectionFrom(given: {
  readonly name: string;
  readonly slug: string;
  readonly image?: string | undefined;
}): Collection | undefined {
  const line = onOneLine(given.name);
  const most = LIMITS.text.characters;
  // A character may count as two.
  const name = shortened(line, line.length > most ? most / 2 : most);
  const { data: image } = ImageUrl.safeParse(given.image);
  const { slug } = given;
  return Collection.safeParse({
    ...{ slug, name: name === '' ? slug : name },
    ...defined({ image }),
  }).data;
}

/** What a contract is called: by one of its lists, or else by the provider. */
export function shownName(
  { contract, name }: { readonly contract: ContractKey; readonly name?: string | undefined },
  collection: Collection | undefined,
): string | undefined {
  return name ?? (collection && nameWithTraits(collection.name, contract));
}
