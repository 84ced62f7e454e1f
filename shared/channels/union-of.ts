import * as z from 'zod';

/** A discriminated union of kinds of channel. */
export function unionOf<Option extends z.core.$ZodTypeDiscriminable>(
  options: readonly Option[],
  params?: z.core.$ZodDiscriminatedUnionParams,
) {
  const [first, ...others] = options;
  if (first === undefined) throw new Error('there is no kind of channel');
  return z.discriminatedUnion('kind', [first, ...others], params);
}
