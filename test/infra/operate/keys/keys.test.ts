import { expect, it } from 'vitest';
import { verb } from '#infra/operate/keys/keys.ts';

const here = { settings: '.floorwatch', json: false };

it.each([
  {
    args: ['create', '--tenant', 'acme'],
    options: {
      ...{ command: 'create', tenant: 'acme', name: 'a key' },
      scopes: ['read', 'write'],
    },
  },
  {
    args: ['create', '--tenant=a', '--scopes=read,admin,read', '--name= x ', '--expires=6h'],
    options: {
      ...{ command: 'create', tenant: 'a', name: 'x', scopes: ['read', 'admin'] },
      expires: { after: 6 * 3_600_000 },
    },
  },
  { args: ['list'], options: { command: 'list' } },
  {
    args: ['rotate', '0123456789', '--expires', '2027-01-01T00:00:00+01:00'],
    options: {
      ...{ command: 'rotate', id: '0123456789', overlap: 86_400_000 },
      expires: { at: Date.UTC(2026, 11, 31, 23) },
    },
  },
  { args: ['revoke', '0123456789'], options: { command: 'revoke', id: '0123456789' } },
])('the command "keys" reads its options from the arguments $args', ({ args, options }) => {
  expect(verb.read(args)).toEqual({ ...here, ...options });
});

it('the command "keys" has no options after --help', () => {
  expect(verb.read(['--help'])).toBeUndefined();
});

it.each([
  { args: [], issue: 'expected one of create, list, rotate, revoke' },
  { args: ['make'], issue: "unknown command 'make'; expected one of create, list, rotate, revoke" },
  {
    args: ['make', 'x'],
    issue: "unknown command 'make'; expected one of create, list, rotate, revoke",
  },
  { args: ['create', '--tenant', 'A B'], issue: '--tenant: expected an id' },
  {
    args: ['create', 'acme'],
    issue: "too many arguments for 'create'. Expected 0 arguments but got 1: acme",
  },
  { args: ['create', '--tenant', 'a', '--scopes', 'all'], issue: '--scopes: ' },
  { args: ['create', '--tenant', 'a', '--scopes', ''], issue: '--scopes: ' },
  { args: ['create', '--tenant', 'a', '--expires', 'soon'], issue: '--expires: expected a' },
  { args: ['create', '--tenant', 'a', '--expires', '91d'], issue: '--expires: expected a' },
  { args: ['create', '--tenant', 'a', '--overlap', '1h'], issue: "unknown option '--overlap'" },
  { args: ['rotate'], issue: "missing required argument 'id'" },
  { args: ['rotate', 'x'], issue: '<id>: expected an API key id (ten hex digits)' },
  { args: ['rotate', '0123456789', '--overlap', '1y'], issue: '--overlap: expected a duration' },
  {
    args: ['revoke', '0123456789', 'b'],
    issue: "too many arguments for 'revoke'. Expected 1 argument but got 2: 0123456789, b",
  },
  { args: ['list', '--all'], issue: "unknown option '--all'" },
])('the command "keys" rejects the arguments $args: $issue', ({ args, issue }) => {
  expect(() => verb.read(args)).toThrow(issue);
});
