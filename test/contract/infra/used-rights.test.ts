import { beforeAll, expect, it } from 'vitest';
import { simulate } from '#test/simulation/world.ts';
import { callsGranted, type FunctionName, GRANTED_RIGHTS } from '#test/support/granted-rights.ts';

const SEEDS = Array.from({ length: 16 }, (_, index) => 100 + index);
const MINUTES = 60;

/** What some hours of a simulated life need not meet, and why it is granted. */
const RARE: Readonly<Record<string, string>> = {
  'deliver-messages send channels':
    'what a slow destination leaves no time for goes on with a message',
  'deliver-messages query HISTORY': 'a summary has the newest value of a rule with a window',
  'wake-work put DISPATCH': 'cursors are noted where more is due than a tick takes',
  'act-on-alert get JOBS': 'who ends the emails of a topic has the topic looked after',
  'serve-api get CHANGES': 'a reader asks for one change by its id',
  'deliver-messages put INBOX': 'a channel that is given up reports the others of its list',
  ...Object.fromEntries(
    ['get', 'put', 'query'].map((call) => [
      `poll-prices ${call} TRADES`,
      'sales are kept of OpenSea alone; the simulated provider tells the lowest',
    ]),
  ),
  ...Object.fromEntries(
    ['put CHANGES', 'get UPSTREAM'].map((call) => [
      `run-jobs ${call}`,
      'only lists of wallets are edited there, a tenth of all',
    ]),
  ),
  ...Object.fromEntries(
    ['query LIST', 'query HISTORY', 'get COLLECTION'].map((call) => [
      `run-jobs ${call}`,
      'reports of lists read it, a day apart; no list there has any',
    ]),
  ),
  'run-jobs get CONTRACTS': 'an escalation has the newest value; few episodes last until theirs',
  'serve-api get COLLECTION': 'names are looked up where the provider can search',
  'serve-api query CONTRACTS':
    'the contracts of a list that cannot be read are found by its watches',
  'serve-api query HISTORY': 'windows are shown with their past',
  'deliver-messages put JOBS': 'a topic that somebody has deleted is to be made again',
  'manage-channels put TENANT': 'a test wakes a channel that is waited for',
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

it('grants functions nothing on the table and the queues that they do not use', () => {
  const unused = granted.filter((right) => !used.has(right));

  expect(unused.filter((right) => !(right in RARE))).toEqual([]);
});

it('lets functions do all that they do', () => {
  expect([...used].filter((right) => !granted.includes(right))).toEqual([]);
});
