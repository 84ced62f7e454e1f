import * as z from 'zod';
import { JsonText } from '#shared/domain/json-text.ts';

/** What is served, by its path below `/v1`: made once, when the stack is synthesized. */
export const Site = JsonText.pipe(
  z.record(z.string(), z.object({ type: z.string(), etag: z.string(), text: z.string() })),
).transform((files) => new Map(Object.entries(files)));
export type Site = z.output<typeof Site>;
