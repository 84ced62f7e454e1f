import * as z from 'zod';
import type { OtherProvider } from '#infra/local/market.ts';
import { CollectionText } from '#shared/domain/market/collection-text.ts';
import { Threshold } from '#shared/domain/rules/clause.ts';

/** A requested collection, with an optional threshold. */
export type RequestedWatch = {
  readonly asked: string;
  readonly rule?: { readonly when: 'below' | 'above'; readonly threshold: string };
};

/** Parses `eth:0xbc4c… above 12`, `Bored Ape Yacht Club below 9.5`, or only a name or a slug. */
export const RequestedWatch = z.string().transform((text, context): RequestedWatch => {
  const [, written = '', when, threshold = ''] =
    /^\s*(\S.*?)(?:\s+(below|above)\s+(\S+))?\s*$/.exec(text) ?? [];
  const addIssue = (message: string) => {
    context.issues.push({ code: 'custom', input: text, message });
    return z.NEVER;
  };
  if (written === '') return addIssue('expected a collection');
  const collection = CollectionText.safeParse(written);
  if (!collection.success) return addIssue(collection.error.issues[0]?.message ?? '');
  const asked = collection.data;
  if (when !== 'below' && when !== 'above') return { asked };
  const isPrice = Threshold.safeParse(threshold).success && !/^-|^[0.]*$/.test(threshold);
  return isPrice
    ? { asked, rule: { when, threshold } }
    : addIssue(`expected a price such as 9.5 after "${when}"`);
});

/** The command line selects real prices (`--live`). */
export type LiveChoice = {
  readonly kind: 'live';
  readonly requests: readonly RequestedWatch[];
  /** The base URL of OpenSea, or of its fake. */
  readonly url: string;
  /** The user's own key; without one OpenSea creates a key. */
  readonly key: string | undefined;
  readonly others: readonly OtherProvider[];
};
