import { expect, it } from 'vitest';
import { startLocalStack } from '#test/support/local-stack.ts';
import { aTokenLine, writeMarketFiles } from '#test/support/market-files.ts';
import { operate } from '#test/support/operate.ts';

it('the stack of npm start answers requests for imported tokens from its archive', async () => {
  await using stack = startLocalStack(['--archive', '--for', '90s']);
  const { value } = await stack.events.next();
  if (value?.event !== 'ready') throw new Error('the stack did not get ready');
  const { url, apiKey } = value;
  const tokens = ['7', '8', '9'].map((id) =>
    aTokenLine(id, [['hat', id === '8' ? 'crown' : 'cap']]),
  );
  await using files = await writeMarketFiles({ 'tokens.jsonl': tokens });

  const { out } = await operate(['import', files.directory, '--url', url, '--json']);
  const { token_address } = aTokenLine('7', []);
  const found = await fetch(`${url}/api/v2.2/nft/${token_address}/nfts-by-traits`, {
    method: 'POST',
    headers: { 'X-API-Key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ traits: { hat: 'cap' } }),
  });

  expect(out).toContain('"written":3');
  expect(found.headers.get('x-data-source')).toBe('archive');
  const { result } = (await found.json()) as { result: { token_id: string }[] };
  expect(result.map(({ token_id }) => token_id)).toEqual(['7', '9']);
});
