import { describe, expect, it } from 'vitest';
import { ChannelBody } from '#shared/channels/channel-body.ts';
import { EXAMPLES } from '#test/support/channel-examples.ts';

const SLACK = 'https://hooks.slack.com/services/T0123ABCD/B0123ABCD/abcDEF0123456789abcdefgh';
const KINDS_IN_WORDS = Object.keys(EXAMPLES)
  .map((kind) => `"${kind}"`)
  .join(', ');
const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 's').toString('base64')}`;
const webhook = { kind: 'webhook', url: 'https://example.com/hook', secrets: [secret(24)] };
const queue = (name: string) => `arn:aws:sqs:eu-west-1:123456789012:${name}`;

it.each<[what: string, channel: object]>([
  ['an email', { kind: 'email', to: 'desk@example.com' }],
  ['a queue', { kind: 'sqs', queue: queue('alerts') }],
  ['a queue in another partition', { kind: 'sqs', queue: queue('a').replace('aws', 'aws-us-gov') }],
  ['a Slack webhook', { kind: 'slack', url: SLACK }],
  ['a reference to the stored URL', { kind: 'slack', url: 'kept:0123abcd' }],
  ['a webhook', webhook],
  ['a webhook with a port and a query', { ...webhook, url: 'https://example.com:8443/?a=b' }],
  ['a webhook at a public address', { ...webhook, url: 'https://93.184.215.14/' }],
  ['a webhook on this machine', { ...webhook, url: 'http://127.0.0.1:8080/hook' }],
  ['a webhook with the longest secrets', { ...webhook, secrets: [secret(64), 'kept:0123abcd'] }],
])('accepts %s as a channel', (_what, channel) => {
  expect(ChannelBody.parse({ id: 'desk', ...channel })).toEqual({ id: 'desk', ...channel });
});

it('normalizes the URL of a webhook', () => {
  const url = 'HTTPS://Example.com:443/a/../b';

  expect(ChannelBody.parse({ ...webhook, url })).toMatchObject({ url: 'https://example.com/b' });
});

const refusedAt = (channel: object) =>
  (ChannelBody.safeParse(channel).error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );

it.each<[what: string, at: string, expected: string, channel: object]>([
  ['an unknown kind', 'kind', KINDS_IN_WORDS, { kind: 'pigeon' }],
  ['a missing kind', 'kind', 'expected one of', {}],
  ['a misspelt member', '', 'Unrecognized', { kind: 'email', to: 'a@b.example', cc: 'c' }],
])('rejects a channel with %s (at %s), expecting %s', (_what, at, expected, channel) => {
  const refusals = refusedAt(channel);

  expect(refusals).toHaveLength(1);
  expect(refusals[0]).toMatch(new RegExp(`^${at}: .*`));
  expect(refusals[0]).toContain(expected);
});

describe('the URL of a webhook', () => {
  it.each([
    ['http://example.com/', 'an https URL'],
    ['http://127.0.0.1/', 'an https URL'],
    ['http://127.0.0.1.evil.example:80/', 'an https URL'],
    ['http://127.0.0.2:8080/', 'an https URL'],
    ['http://localhost:8080/', 'an https URL'],
    ['http://[::1]:8080/', 'an https URL'],
    ['ftp://example.com/', 'an https URL'],
    ['https://user@example.com/', 'a user name or password'],
    ['https://:password@example.com/', 'a user name or password'],
    ['http://user@127.0.0.1:8080/', 'a user name or password'],
    ['https://example.com/#', 'fragment'],
    ['https://example.com/#x', 'fragment'],
    ['https://127.0.0.1/', 'a public address'],
    ['https://127.0.0.1:8443/', 'a public address'],
    ['https://2130706433/', 'a public address'],
    ['https://0x7f.1/', 'a public address'],
    ['https://127.0.0.1./', 'a public address'],
    ['https://10.1.2.3/', 'a public address'],
    ['https://169.254.169.254/latest/meta-data', 'a public address'],
    ['https://[::1]/', 'a public address'],
    ['https://localhost/', 'a public host'],
    ['https://hook.localhost/', 'a public address'],
    ['https://intranet/', 'a public address'],
    ['https://intranet./', 'a public address'],
    ['https://db.eu.internal/', 'a public address'],
    ['https://printer.local./', 'a public address'],
    ['https://[::ffff:127.0.0.1]/', 'a public address'],
    ['https://[fd00:ec2::254]/', 'a public address'],
    [`https://example.com/${'x'.repeat(1981)}`, '2000 characters'],
    [`https://example.com/${'{'.repeat(700)}`, '2000 characters'],
    ['https://example.com/\u202e', 'ASCII'],
    ['https://exa\nmple.com/', 'ASCII'],
    [' https://example.com/', 'ASCII'],
    ['example.com', 'a valid URL in ASCII'],
    ['https://', 'a valid URL in ASCII'],
    ['', 'a valid URL in ASCII'],
    ['kept:0123abcd', 'an https URL'],
  ])('rejects the webhook URL %j, expecting %s', (url, expected) => {
    expect(refusedAt({ ...webhook, url })).toEqual([expect.stringContaining(expected)]);
  });

  it('accepts a webhook URL of at most 2000 characters', () => {
    const url = `https://example.com/${'x'.repeat(1980)}`;

    expect(refusedAt({ ...webhook, url })).toEqual([]);
  });
});
