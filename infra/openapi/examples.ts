/*
 * The examples of the document. A test checks each against its schema.
 */

const PUNKS = 'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb';

export const ruleBody = {
  id: 'floor-60',
  metric: 'floor_price',
  when: 'below',
  threshold: '60',
  recover: '70',
};

export const memberBody = { contract: PUNKS, name: 'CryptoPunks' };

export const channelBody = { id: 'desk', kind: 'email', to: 'desk@example.com' };

export const watchlistBody = {
  id: 'punks',
  name: 'Punks',
  contracts: [memberBody],
  rules: [ruleBody],
  channels: [channelBody],
};

export const manyRulesBody = {
  name: 'Punks, closely',
  contracts: [PUNKS],
  rules: [
    {
      ...{ id: 'band', metric: 'floor_price', when: 'outside' },
      low: '50',
      high: '120',
      for: '2h',
    },
    {
      ...{ id: 'crash', metric: 'floor_drawdown_pct.7d', when: 'above', threshold: '30' },
      ...{ steps: '10', repeat: { reminder: '1d' }, severity: 'critical' },
    },
    {
      ...{ id: 'sure', metric: 'floor_price_usd', when: 'below', threshold: '200000' },
      ...{ confirm: { times: 2, of: 3 }, arm: 'cross', noData: { alert: '6h' } },
    },
    {
      id: 'both',
      all: [
        { metric: 'floor_price', when: 'below', threshold: '60' },
        { metric: 'lowest_price.7d', when: 'below', threshold: '55' },
      ],
    },
  ],
  channels: [
    { kind: 'slack', url: 'https://hooks.slack.com/services/T0001/B0001/abcdefgh' },
    {
      kind: 'webhook',
      url: 'https://example.com/hook',
      secrets: ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='],
    },
  ],
};

const rule = {
  ...ruleBody,
  ...{ on: '*', arm: 'level', repeat: 'every', noData: 'keep' },
  ...{ outliers: 'confirm', severity: 'warning', notifyRecovery: true, enabled: true },
};
const entry = { ...watchlistBody, revision: 3, rules: [rule] };

export const watchlistExport = {
  name: 'Punks',
  contracts: [memberBody],
  rules: [rule],
  channels: [channelBody],
};

const ofList = { revision: 3, pendingChanges: 0 };

export const contractsOfList = { contracts: [memberBody], ...ofList };

export const contractOfList = { contract: memberBody, ...ofList };

export const rulesOfList = { rules: [rule], ...ofList };

export const ruleOfList = { rule, ...ofList };

export const changedChannel = { channel: channelBody, ...ofList, restarted: [] };

export const mute = {
  id: 'mute-4j2k9x',
  from: '2026-11-21T12:00:00.000Z',
  until: '2026-11-21T18:00:00.000Z',
  rule: null,
  severity: 'info',
  reason: 'release day',
};

const whole = { stoppedShort: false, unreadable: [] };
export const watchlistPage = {
  watchlists: [entry],
  cursor: null,
  stoppedShort: false,
  unreadable: [{ kind: 'watchlist', id: 'apes', reason: 'unknown member "rules.0.onlyWhen"' }],
};

export const watchlist = {
  ...entry,
  mutes: [mute],
  undeliverable: false,
  pendingChanges: 0,
  cadenceMinutes: 30,
  cadenceStretched: false,
};

const condition = {
  metric: 'floor_price',
  when: 'below',
  threshold: '60',
  recover: '70',
  low: null,
  high: null,
  unit: 'eth',
  value: '61.25',
};

export const watch = {
  rule: 'floor-60',
  noData: false,
  contract: PUNKS,
  name: 'CryptoPunks',
  label: null,
  ...condition,
  all: null,
  severity: 'warning',
  admin: 'enabled',
  mutedUntil: null,
  state: 'ok',
  stateSince: '2026-11-21T11:30:00.000Z',
  episode: 0,
  acknowledged: null,
  generation: 1,
  waitsFor: { metric: 'floor_price', falling: '60', rising: null },
  dataTime: '2026-11-21T11:30:00.000Z',
  health: { state: 'fresh', code: 'ok', reason: null, since: '2026-11-20T09:00:00.000Z' },
};

export const watchPage = { watches: [watch], cursor: null, unreadable: [] };

const reportedFloor = {
  part: 'floor',
  price: '61.25',
  currency: 'eth',
  usd: '185201.32',
  dataTime: '2026-11-21T11:30:00.000Z',
  source: 'opensea',
  answeredAt: '2026-11-21T11:59:02.000Z',
};

const forecast = {
  code: 'rests',
  text: 'Floor price 61.25 ETH is above the threshold of 60 ETH. It fires when that changes.',
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

export const explanation = {
  ...watch,
  why: 'Floor price 61.25 ETH is above the threshold of 60 ETH.',
  forecast,
  waitsForInWords: 'at or below 60 ETH',
  reported: [reportedFloor],
  nextEvaluation: { pollAt: '2026-11-21T12:29:00.000Z', cadenceMinutes: 30, wakeAt: null },
  outbox: { alerts: 0, since: null, heldUntil: null },
};

const sent = { state: 'sent', at: '2026-11-21T12:01:03.000Z', reason: null };

export const alert = {
  id: '0123456789abcdef0123.1.1',
  kind: 'fired',
  tenant: 'acme',
  watchlist: 'punks',
  rule: 'floor-60',
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
  duration: null,
  extreme: null,
  severity: 'warning',
  text: 'CryptoPunks: floor price 59.9 ETH, at or below 60 ETH',
  self: '/v1/watchlists/punks/alerts/2026-11-21T12:01:00.000Z~0123456789abcdef0123.1.1',
  acknowledged: null,
  deliveries: { desk: { ...sent, state: 'accepted' } },
  operators: { 'stack-topic': { ...sent, state: 'accepted' }, 'stack-slack': sent },
};

export const usage = {
  watchlists: { used: 2, limit: 100 },
  contracts: { used: 12, limit: 5000 },
  watches: { used: 36, limit: 100_000 },
  requests: {
    api: { unitsPerMinute: 1200, left: 1189, allAt: '2026-11-21T12:01:01.000Z' },
    nftData: { unitsPerMinute: 600, left: 600, allAt: '2026-11-21T12:01:00.000Z' },
  },
};

export const changePage = {
  changes: [
    {
      id: '2026-11-21T12:00:00.000Z~4j2k9x',
      at: '2026-11-21T12:00:00.000Z',
      by: { key: '1a2b3c4d5e', name: 'the script' },
      watchlist: 'punks',
      kind: 'watchlist_changed',
      revision: 3,
      edit: {
        name: null,
        contracts: { added: [], changed: [], removed: [] },
        rules: { added: ['floor-60'], changed: [], removed: ['floor-50'] },
        channels: { added: [], changed: ['desk'], removed: [] },
      },
      subject: null,
    },
  ],
  cursor: null,
  ...whole,
};

export const alertPage = { alerts: [alert], cursor: null, ...whole };

const standing = {
  ...channelBody,
  ...{ state: 'working', reason: null, since: null, waiting: 0 },
  lastSuccess: '2026-11-21T12:01:03.000Z',
};

export const channelOfList = { channel: standing, ...ofList };

export const confirmedChannel = { ...standing, lastSuccess: null };

export const channelList = { channels: [standing], undeliverable: false, unreadable: [] };

export const channelTest = {
  id: '0123456789abcdef0123.0.test-7',
  self: '/v1/watchlists/punks/alerts/2026-11-21T12:01:00.000Z~0123456789abcdef0123.0.test-7',
};

export const confirmationBody = {
  link: 'https://sns.eu-west-1.amazonaws.com/confirmation.html?TopicArn=arn:aws:sns:eu-west-1:123456789012:floorwatch-dev-0a1b&Token=2336412f37fb687f5d51e6e2425ba1f2',
};

export const traitsBody = { traits: { Type: 'Ape', Accessory: '3D Glasses' } };

export const nftPage = {
  page: '1',
  page_size: '100',
  cursor: '',
  result: [
    {
      token_address: '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
      token_id: '372',
      owner_of: null,
      token_hash: null,
      block_number: null,
      block_number_minted: null,
      contract_type: 'CRYPTOPUNKS',
      token_uri: null,
      metadata:
        '{"name":"CryptoPunk #372","attributes":[{"trait_type":"Type","value":"Ape"},{"trait_type":"Accessory","value":"3D Glasses"}]}',
      normalized_metadata: null,
      media: null,
      minter_address: null,
      last_token_uri_sync: null,
      last_metadata_sync: null,
      amount: '1',
      name: 'CryptoPunks',
      symbol: 'PUNK',
      possible_spam: false,
      verified_collection: true,
      rarity_rank: null,
      rarity_label: null,
      rarity_percentage: null,
      last_sale: null,
    },
  ],
};

export const floorPricePage = {
  page: 1,
  page_size: 100,
  cursor: '',
  result: [
    {
      floor_price: '59.9',
      floor_price_usd: '181000.1299',
      currency: 'eth',
      marketplace: [{ name: 'opensea', logo: '' }],
      timestamp: '2026-11-21T12:00:00.000Z',
    },
  ],
};

export const lowestTrade = {
  token_address: '0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb',
  transaction_hash: '0x4f9ba5d8f47a3e3cb8e1d7dc1b7ab9aa2e3b4b8b1f6c8e6d6bd1a2b4d5e6f708',
  transaction_index: '',
  token_ids: ['372'],
  seller_address: '0x00000000000000000000000000000000000000aa',
  buyer_address: '0x00000000000000000000000000000000000000bb',
  marketplace_address: '0x00000000000000adc04c56bf30ac9d3c0aaf14dc',
  price: '59900000000000000000',
  block_timestamp: '2026-11-20T08:13:11',
  block_number: '21230000',
  block_hash: '0x1f6c8e6d6bd1a2b4d5e6f7084f9ba5d8f47a3e3cb8e1d7dc1b7ab9aa2e3b4b8b',
};

export const notReady = {
  message: 'The provider is still collecting the data of this collection.',
};

export const contract = {
  contract: PUNKS,
  name: 'CryptoPunks',
  watchlists: ['punks'],
  cadenceMinutes: 30,
  pollAt: '2026-11-21T12:29:00.000Z',
  parts: [
    {
      ...reportedFloor,
      ageMinutes: 31,
      health: {
        ...{ state: 'fresh', code: 'ok', reason: null, since: '2026-11-14T09:29:02.000Z' },
        ...{ silentSince: null, retryAt: null },
        ...{ confirmedBy: 'coingecko', confirmedAt: '2026-11-21T12:00:00.000Z' },
      },
    },
  ],
};

const recorded = {
  ...{ time: '2026-11-21T11:30:00.000Z', price: '61.25', currency: 'eth', usd: '185201.32' },
  ...{ source: 'opensea', tradedAt: null },
};

export const historyPage = {
  contract: PUNKS,
  part: 'floor',
  points: [recorded, { ...recorded, time: '2026-11-21T10:30:00.000Z', price: '61.5' }],
  cursor: null,
};

export const previewBody = {
  rule: { metric: 'floor_price', when: 'below', threshold: '60', recover: '70' },
  contracts: [{ contract: PUNKS, name: 'CryptoPunks' }],
  days: 30,
};

const {
  self: _self,
  acknowledged: _acknowledged,
  deliveries: _deliveries,
  operators: _operators,
  ...fired
} = alert;

export const preview = {
  from: '2026-10-22T12:00:00.000Z',
  to: '2026-11-21T12:00:00.000Z',
  notes: [],
  contracts: [
    {
      contract: PUNKS,
      counts: { fired: 1, worsened: 0, reminder: 0, recovered: 0, closed: 0, stale: 0, fresh: 0 },
      notTested: null,
      pendingEnded: 0,
      until: '2026-11-21T12:00:00.000Z',
      alerts: [{ ...fired, watchlist: 'preview', rule: 'rule-1', subject: fired.text }],
      ignored: [],
      history: [
        {
          ...{ part: 'floor', from: '2026-10-22T11:30:00.000Z', to: '2026-11-21T11:30:00.000Z' },
          ...{ points: 720, recorded: 241, backFilled: 480, typicalMinutes: 60 },
          ...{ gaps: 0, longestGap: null },
        },
      ],
      backFill: { pages: 8, trouble: null },
      forecast,
    },
  ],
};
