import { beforeAll, expect, it } from 'vitest';
import { simulate } from '#test/simulation/world.ts';
import { callsGranted, type FunctionName, GRANTED_RIGHTS } from '#test/support/granted-rights.ts';

const SEEDS = Array.from({ length: 16 }, (_, index) => 100 + index);
const MINUTES = 60;

/** Rights that may remain unused in a few simulated hours, with the reason for granting them. */
const RARE: Readonly<Record<string, string>> = {
  'deliver-messages send channels':
    'delivery continues with a message if a slow destination uses up the time',
  'deliver-messages query HISTORY': 'a summary contains the newest value of a rule with a window',
  'wake-work put DISPATCH': 'cursors are stored if more work is due than one tick can start',
  'act-on-alert get JOBS': 'an unsubscribe link makes the topic job due',
  'serve-api get CHANGES': 'a reader requests one change by its id',
  'deliver-messages put INBOX':
    'a channel that is turned off is reported to the other channels of its list',
  ...Object.fromEntries(
    ['get', 'put', 'query'].map((call) => [
      `poll-prices ${call} TRADES`,
      'only sales of OpenSea are archived; the simulated provider reports the lowest sale',
    ]),
  ),
  ...Object.fromEntries(
    ['put CHANGES', 'get UPSTREAM'].map((call) => [
      `run-jobs ${call}`,
      'the function edits only lists with wallets, a tenth of all lists',
    ]),
  ),
  ...Object.fromEntries(
    ['query LIST', 'query HISTORY', 'get COLLECTION'].map((call) => [
      `run-jobs ${call}`,
      'daily reports of lists need it; no simulated list has a daily report',
    ]),
  ),
  'run-jobs get CONTRACTS':
    'an escalation contains the newest value; few episodes last until their escalation',
  'serve-api get COLLECTION': 'names are looked up if the provider can search',
  'serve-api query CONTRACTS': 'the contracts of an unreadable list are found by its watches',
  'serve-api query HISTORY': 'a response with the value of a window needs the earlier floors',
  'deliver-messages put JOBS': 'a topic that somebody deleted is created again',
  'manage-channels put TENANT': 'a test wakes a channel that waits',
  'manage-channels query JOBS': 'status counts the changes of a list that are not applied yet',
};

const granted = Object.keys(GRANTED_RIGHTS).flatMap((name) =>
  callsGranted(name as FunctionName).map((call) => `${name} ${call}`),
);
const used = new Set<string>();

beforeAll(async () => {
  for (const seed of SEEDS) {
    for (const right of (await simulate(seed, MINUTES)).rightsUsed) used.add(right);
  }
});

it('functions are granted no unused rights on the table and the queues', () => {
  const unused = granted.filter((right) => !used.has(right));

  expect(unused.filter((right) => !(right in RARE))).toEqual([]);
});

it('functions use only rights that are granted', () => {
  expect([...used].filter((right) => !granted.includes(right))).toEqual([]);
});
