import { expect, it } from 'vitest';
import { CollectionText } from '#shared/domain/market/collection-text.ts';
import { ContractOrName } from '#shared/domain/watchlists/watchlist-body.ts';

const address = '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D';
const key = (chain: string) => `${chain}:${address.toLowerCase()}`;
const LONGEST_ID = '9'.repeat(78);

it.each([
  ['https://opensea.io/collection/azuki', 'azuki'],
  ['https://opensea.io/collection/azuki/', 'azuki'],
  ['https://opensea.io/collection/azuki/overview?tab=items#top', 'azuki'],
  ['http://www.opensea.io/collection/azuki', 'azuki'],
  ['opensea.io/collection/azuki', 'azuki'],
  ['  WWW.OpenSea.io/de/collection/azuki ', 'azuki'],
  ['https://opensea.io/zh-CN/collection/azuki', 'azuki'],
  [`https://opensea.io/assets/ethereum/${address}/7`, key('eth')],
  [`https://opensea.io/assets/ethereum/${address}/${LONGEST_ID}`, key('eth')],
  [`https://opensea.io/assets/matic/${address}/1`, key('polygon')],
  [`https://opensea.io/assets/${address}/1`, key('eth')],
  [`opensea.io/assets/${address}`, key('eth')],
  [`https://opensea.io/item/base/${address}/1/`, key('base')],
  [`https://opensea.io/ja/item/arbitrum/${address}/1`, key('arbitrum')],
  ['boredapeyachtclub', 'boredapeyachtclub'],
  ['Bored Ape Yacht Club', 'Bored Ape Yacht Club'],
  ['opensea.io fans', 'opensea.io fans'],
])('reads the text "%s" as the collection %s', (text, collection) => {
  expect(CollectionText.parse(text)).toBe(collection);
});

it.each([
  ['https://opensea.io/'],
  ['opensea.io'],
  ['https://opensea.io/collection'],
  ['https://opensea.io/rankings'],
  [`https://opensea.io/assets/zora/${address}/1`],
  ['https://opensea.io/assets/ethereum/0xbc4c/1'],
  ['https://testnets.opensea.io/collection/azuki'],
  ['https://opensea.io.example.com/collection/azuki'],
  ['https://blur.io/collection/azuki'],
  ['https://'],
])('lists the accepted forms when it rejects the link "%s"', (text) => {
  const known = ['/collection/<slug>', '/item/<chain>/<address>/<id>', '/assets/<address>/<id>'];

  for (const schema of [CollectionText, ContractOrName]) {
    const message = schema.safeParse(text).error?.issues[0]?.message;

    for (const form of known) expect(message).toContain(`https://opensea.io${form}`);
  }
});

it('reads the address in a link as a contract, without a search', () => {
  const link = `https://opensea.io/item/ethereum/${address}/${LONGEST_ID}`;

  expect(ContractOrName.parse(link)).toEqual({ contract: key('eth') });
  expect(ContractOrName.parse('opensea.io/collection/azuki')).toEqual({ collection: 'azuki' });
});
