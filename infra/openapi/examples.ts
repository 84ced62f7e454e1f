/*
 * The examples that several parts of the document show. A test checks each against its schema.
 */

export const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

export const ruleBody = {
  id: 'floor-60',
  metric: 'floor_price',
  when: 'below',
  threshold: '60',
  recover: '70',
};

export const memberBody = { contract: PUNKS, name: 'CryptoPunks' };

export const channelBody = { id: 'desk', kind: 'email', to: 'desk@example.com' };

export const rule = {
  ...ruleBody,
  ...{ on: '*', arm: 'level', repeat: 'every', noData: 'keep' },
  ...{ outliers: 'confirm', severity: 'warning', notifyRecovery: true, enabled: true },
};
export const reportedFloor = {
  series: 'floor',
  price: '61.25',
  currency: 'eth',
  usd: '185201.32',
  dataTime: '2026-11-21T11:30:00.000Z',
  source: 'opensea',
  answeredAt: '2026-11-21T11:59:02.000Z',
};

export const forecast = {
  code: 'rests',
  text: 'Floor price 61.25 ETH is above the threshold of 60 ETH. The rule waits until its condition is met.',
  at: null,
  conditions: [
    {
      metric: 'floor_price',
      condition: 'at or below 60 ETH',
      unit: 'eth',
      value: '61.25',
      beyond: false,
    },
  ],
};

const sent = { state: 'sent', at: '2026-11-21T12:01:03.000Z', reason: null, seconds: 3 };

export const alert = {
  id: '0123456789abcdef0123.1.1',
  kind: 'fired',
  tenant: 'acme',
  watchlist: 'punks',
  rule: 'floor-60',
  label: null,
  contract: PUNKS,
  name: 'CryptoPunks',
  metric: 'floor_price',
  when: 'below',
  threshold: '60',
  value: '59.9',
  previous: '61.25',
  unit: 'eth',
  usd: '181000.1299',
  dataTime: '2026-11-21T12:00:00.000Z',
  late: false,
  source: 'opensea',
  at: '2026-11-21T12:01:00.000Z',
  generation: 1,
  episode: 1,
  open: true,
  duration: null,
  extreme: null,
  severity: 'warning',
  title: 'CryptoPunks below 60 ETH: 59.9 ETH ($181k, −2.2%)',
  facts: [
    { name: 'Condition', value: 'floor price at or below 60 ETH' },
    { name: 'Was', value: '61.25 ETH' },
    { name: 'In dollars', value: '$181,000.12' },
    { name: 'Distance', value: '0.1 ETH (0.1%) below 60 ETH' },
    { name: 'Source', value: 'OpenSea' },
  ],
  self: '/v1/watchlists/punks/alerts/2026-11-21T12:01:00.000Z~0123456789abcdef0123.1.1',
  acknowledged: null,
  deliveries: { desk: { ...sent, state: 'accepted' } },
  operators: { 'stack-topic': { ...sent, state: 'accepted' }, 'stack-slack': sent },
};
