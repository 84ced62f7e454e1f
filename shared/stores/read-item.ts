import type * as z from 'zod';
import { UnreadableError } from '#shared/domain/unreadable.ts';
import type { Item } from './table.ts';

/** An item as its schema reads it; throws UnreadableError with its key where it has another form. */
export function readItem<Schema extends z.ZodType>(schema: Schema, item: Item): z.output<Schema> {
  const parsed = schema.safeParse(item);
  if (parsed.success) return parsed.data;
  throw new UnreadableError(`${item.pk} ${item.sk}`, { cause: parsed.error });
}
