import * as z from 'zod';

/** Any of the kinds of channel. */
export function unionOf<Option extends z.core.$ZodTypeDiscriminable>(
  options: readonly Option[],
  params?: z.core.$ZodDiscriminatedUnionParams,
) {
  const [first, ...others] = options;
  if (first === undefined) throw new Error('there is no kind of channel');
  return z.discriminatedUnion('kind', [first, ...others], params);
}
