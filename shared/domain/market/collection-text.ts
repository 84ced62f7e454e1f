import * as z from 'zod';
import type { Forms } from '#shared/domain/forms.ts';
import { Line, lineForm } from '#shared/domain/words.ts';
import { DEFAULT_CHAIN } from './chains.ts';
import { ContractAddress, contractKey, findChainByAnyName } from './contract.ts';

const LINK_FORMS =
  'expected a link such as https://opensea.io/collection/<slug>, https://opensea.io/item/<chain>/<address>/<id> or https://opensea.io/assets/<address>/<id>';

/**
 * One line that identifies a collection: `<chain>:<address>`, a slug or a name. A link to OpenSea,
 * with or without its scheme, is replaced by the contract or the slug in it.
 */
export const CollectionText = z
  .string()
  .transform((text, context): string => {
    const trimmed = text.trim();
    const isOfOpenSea = /^(?:www\.)?opensea\.io(?:[/?#]|$)/i.test(trimmed);
    if (!isOfOpenSea && !/^https?:\/\//i.test(trimmed)) return text;
    const link = URL.parse(isOfOpenSea ? `https://${trimmed}` : trimmed);
    const named = link === null ? undefined : namedBy(link);
    if (named !== undefined) return named;
    context.issues.push({ code: 'custom', input: text, message: LINK_FORMS });
    return z.NEVER;
  })
  .pipe(Line);

const LANGUAGE = /^[a-z]{2}(?:-[a-z]{2,4})?$/i;

/** The slug or the contract in a link to OpenSea; undefined if the link has an unknown format. */
function namedBy({ hostname, pathname }: URL): string | undefined {
  if (!/^(?:www\.)?opensea\.io$/.test(hostname)) return undefined;
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const [kind, first = '', second = ''] = LANGUAGE.test(segments[0] ?? '')
    ? segments.slice(1)
    : segments;
  if (kind === 'collection') return /^[\w-]+$/.test(first) ? first : undefined;
  if (kind !== 'assets' && kind !== 'item') return undefined;
  // The oldest links omit the chain, because OpenSea then supported only Ethereum.
  const [chain, address] = first.startsWith('0x')
    ? [DEFAULT_CHAIN, first]
    : [findChainByAnyName(first), second];
  const read = ContractAddress.safeParse(address);
  return chain && read.success ? contractKey({ chain, address: read.data }) : undefined;
}

export function collectionTextForms(): Forms {
  return [[CollectionText, lineForm()]];
}
