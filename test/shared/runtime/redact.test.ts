import { describe, expect, it } from 'vitest';
import { formatSignInCode } from '#shared/domain/access/sign-in-code.ts';
import { isSecretName, redact } from '#shared/runtime/redact.ts';
import { aKey, aKeyRecord } from '#test/support/api-keys.ts';
import { growthOf } from '#test/support/garbage.ts';

const CANARY = 'c4nary0123456789';
const aCode = formatSignInCode(aKeyRecord(aKey(1)), new Uint8Array(32).fill(7));

describe('redaction of texts', () => {
  it.each([
    ['a key of ours', aKey(7)],
    ['a key that was cut', aKey(7).slice(0, 30)],
    ['a sign-in code', aCode],
    ['a link with a sign-in code', `https://api.example.com/prod/app#sign-in=${aCode}`],
    ['a key of the upstream', `eyJhbGciOiJIUzI1NiJ9.${CANARY}.${CANARY}`],
    ['a signing secret', `whsec_${CANARY}+/${CANARY}==`],
    ['a sealed secret', `v2.0123abcd.${CANARY}.${CANARY}`],
    ['an address of Slack', `https://hooks.slack.com/services/T000/B000/${CANARY}`],
    ['a link of SNS', `https://sns.eu-west-1.amazonaws.com/?TopicArn=a&Token=${CANARY}&x=1`],
    ['a link of a message', `GET https://api.example.com/prod/v1/actions/${CANARY}.${CANARY}?do=x`],
    ['a header', `GET / x-api-key: ${CANARY}`],
    ['a header with a scheme', `{"Authorization":"Bearer ${CANARY}"}`],
    ['a member', `{"secrets":"${CANARY}","url": "https://example.com/${CANARY}"}`],
  ])('redacts %s completely', (_what, secret) => {
    const reported = redact(`before ${secret} after`);

    expect(reported).not.toMatch(/c4nary|BwcHBwcHBw/);
    expect(reported).toMatch(/^before .*\[hidden\].* after$/);
  });

  it.each([
    'eth:0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb floor_price 59.9',
    'JOB#punks#contract#eth:0xb47e has changed since it was read',
    'at Object.<anonymous> (/var/task/index.js:1:2345)',
    'the keyword fw_short, kept:1a2b3c4d, key 1a2b3c4d5e, v2.2.3',
    'https://example.com/hook?days=7',
  ])('redacts nothing in a text without a secret: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it.each([
    'fw_',
    'eyJ',
    'whsec_',
    'v2.0123abcd.',
    '/services/',
    '/v1/actions/',
    '?token=',
    'x-api-key: ',
    'authorization',
    '"secret":"',
    ' ',
    'a',
  ])('redacts a text with many of "%s" in linear time', (part) => {
    expect(growthOf(redact, (size) => part.repeat(size / part.length))).toBeLessThan(32);
  });
});

it.each(['Authorization', 'X-API-Key', 'secret', 'url', 'token', 'link'])(
  'treats a member called %s as secret',
  (name) => {
    expect(isSecretName(name)).toBe(true);
  },
);
