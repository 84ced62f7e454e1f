import { expect, it } from 'vitest';
import { sampleAlert } from '#shared/domain/channels/channel-alerts.ts';
import { NOON } from '#test/support/builders.ts';

it('a test reads as an alert of a rule does, and begins by saying that it is a sample', () => {
  const list = { tenant: 'acme', id: 'punks' };

  const { text, id } = sampleAlert({ list, channel: 'desk' }, 1, NOON);

  expect(text).toBe(`Sample: CryptoPunks: floor price 59.9 ETH, at or below 60 ETH

This is a test of channel "desk". Its prices are made up; nothing has happened.
Was: 61.25 ETH, −2.2 %
In dollars: $181,000.12
Rule: floor price at or below 60 ETH
As of: 2026-11-21 12:00 UTC

Contract: eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
See: https://opensea.io/assets/ethereum/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
See: https://etherscan.io/address/0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb
Watchlist: punks of acme, rule: sample, severity: info
Alert: ${id}`);
});
