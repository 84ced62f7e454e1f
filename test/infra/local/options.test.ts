import { describe, expect, it } from 'vitest';
import { readOptions } from '#infra/local/options.ts';

describe('the options of npm start', () => {
  it('by default npm start simulates a market at sixty times real time', () => {
    expect(readOptions([], {})).toMatchObject({
      market: { kind: 'simulated', seed: 1 },
      speed: 60,
      json: false,
      exitAtEnd: false,
      archive: false,
    });
  });

  it('npm start replays the data of a folder as fast as possible', () => {
    const args = '--data data --speed max --from 2021-08-03 --to 2021-09-01T12:00Z --for 5m';

    expect(readOptions(args.split(' '), {})).toMatchObject({
      market: { kind: 'replayed', folder: 'data' },
      speed: Number.POSITIVE_INFINITY,
      from: Date.UTC(2021, 7, 3),
      to: Date.UTC(2021, 8, 1, 12),
      stopAfter: 300_000,
    });
  });

  it('npm start polls the real service in real time if its URL and key are set', () => {
    const environment = { UPSTREAM_URL: 'https://nft.example', UPSTREAM_KEY: 'secret' };

    expect(readOptions([], environment)).toMatchObject({
      market: { kind: 'real', url: 'https://nft.example', key: 'secret', others: [] },
      speed: 1,
    });
  });

  it('npm start uses other providers as fallbacks if their keys are set', () => {
    const environment = {
      ...{ UPSTREAM_URL: 'https://nft.example', UPSTREAM_KEY: 'secret', OPENSEA_API_KEY: 'sea' },
      ...{ COINGECKO_API_KEY: 'CG', COINGECKO_URL: 'http://127.0.0.1:4000' },
      ...{ ALCHEMY_API_KEY: 'al', ALCHEMY_URL: 'http://127.0.0.1:5000' },
      ETHEREUM_NODE_URL: 'https://node.example/v3/secret',
    };
    const openSea = { provider: 'opensea', url: 'https://api.opensea.io', key: 'sea' };
    const coinGecko = { provider: 'coingecko', url: 'http://127.0.0.1:4000', key: 'CG' };
    const alchemy = { provider: 'alchemy', url: 'http://127.0.0.1:5000', key: 'al' };
    const node = { provider: 'ethereum-node', key: 'https://node.example/v3/secret' };
    const service = { provider: 'nft-data', url: 'https://nft.example', key: 'secret' };

    expect(readOptions([], environment)?.market).toMatchObject({
      ...{ kind: 'real', key: 'secret', others: [openSea, coinGecko, alchemy, node] },
    });
    expect(readOptions(['--live', 'azuki'], environment)?.market).toMatchObject({
      ...{ kind: 'live', key: 'sea', others: [service, coinGecko, alchemy, node] },
    });
  });

  it('npm start rejects --tour with any market except the simulated one', () => {
    expect(readOptions(['--tour'], {})).toMatchObject({ tour: true });
    expect(() => readOptions(['--tour', '--data', 'data'], {})).toThrow(
      '--tour needs the simulated market: omit --data and --live, and do not set UPSTREAM_URL',
    );
  });

  it('the options of npm start are undefined after --help', () => {
    expect(readOptions(['--help'], {})).toBeUndefined();
  });

  it.each([
    { args: '--sped 3', issue: "unknown option '--sped'; did you mean one of --seed, --speed?" },
    { args: 'data', issue: 'Expected 0 arguments but got 1: data' },
    {
      args: '--speed fast',
      issue: '--speed: expected a number of at least 1, or max, found "fast"',
    },
    { args: '--speed 0.5', issue: '--speed: expected a number of at least 1, or max, found "0.5"' },
    { args: '--from yesterday', issue: '--from: expected a time such as' },
    { args: '--from 2022-01-02 --to 2022-01-01', issue: '--to must be later than --from' },
    { args: '--for 60', issue: '--for: expected a duration such as 60s' },
    { args: '--port 70000', issue: '--port: expected a whole number from 0 to 65535' },
    { args: '--exit-at-end', issue: '--exit-at-end needs --data or --to' },
  ])('npm start rejects the options $args', ({ args, issue }) => {
    expect(() => readOptions(args.split(' '), {})).toThrow(issue);
  });

  it.each([
    { environment: { UPSTREAM_URL: 'https://nft.example' }, issue: 'set both' },
    { environment: { UPSTREAM_URL: 'nft', UPSTREAM_KEY: 'k' }, issue: 'is not a URL: nft' },
    { environment: { COINGECKO_URL: 'gecko' }, issue: 'COINGECKO_URL is not a URL: gecko' },
    { environment: { ETHEREUM_NODE_URL: 'secret' }, issue: /^ETHEREUM_NODE_URL is not a URL$/ },
  ])('npm start rejects the environment $environment', ({ environment, issue }) => {
    expect(() => readOptions([], environment)).toThrow(issue);
  });
});
