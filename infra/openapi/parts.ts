import type * as z from 'zod';
import {
  ChangedChannel,
  ContractOfList,
  ContractsOfList,
  PutContactPointResult,
  RuleOfList,
  RulesOfList,
  ruleMembers,
} from '#functions/serve-api/watchlists/answers/parts.ts';
import { partRoutes } from '#functions/serve-api/watchlists/part-routes.ts';
import { MemberReplacement } from '#functions/serve-api/watchlists/requests.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { HELD_WORDS } from '#shared/domain/watchlists/holding.ts';
import { MemberRequest } from '#shared/domain/watchlists/watchlist-body.ts';
import { input } from '#shared/http/described.ts';
import { channelBody, memberBody, ruleBody, rule as ruleExample } from './examples.ts';
import {
  DELETE_PROBLEMS,
  describeRoutes,
  EDIT_PROBLEMS,
  ETAG,
  json,
  LOCATION,
  LOOKUP_PROBLEMS,
  SEARCH_PROBLEMS,
  type Words,
} from './operation.ts';
import { ifMatch, ifMatchIfThere, ifMatchOfList, ifNoneMatchAny } from './preconditions.ts';

input(
  'RuleInput',
  AlertRule._zod.innerType,
  'A rule as sent in a request: a condition on contracts. Omitted members have defaults.',
  ruleMembers,
);

input(
  'MemberInput',
  MemberRequest,
  'An NFT contract of a list as sent in a request: its address, or an object. The object may have the name of the collection, the number and cost of the tokens held, or the contracts with which the floor is compared (`of`). Instead of an address, a slug, a name or a marketplace link is accepted.',
);

input('MemberReplacement', MemberReplacement._zod.innerType, 'The NFT contract in the path.', {
  contract: 'The same contract as in the path. It may be omitted.',
  name: 'The name of the collection, shown in messages.',
  ...HELD_WORDS,
});

/** Three tokens that cost 12.5 ETH each. */
const HELD = { amount: 3, cost: { price: '12.5' } };

const listed = { revision: 3, pendingChanges: 0 };

const WHOLE =
  'Changes the list, like a `PUT` of the list. The response has the new `revision`, and the number of contracts to which the change has not been applied yet (`pendingChanges`).';

/**
 * A kind of part: its tag in the document, its name in prose and in operation ids, and the response
 * with one part.
 */
type Kind = {
  readonly tag: Words['tag'];
  readonly one: 'contract' | 'rule' | 'channel' | 'contact point';
  readonly schema: z.ZodType;
  readonly example: unknown;
};

const CHANGE_PROBLEMS = [...EDIT_PROBLEMS, 'quota_exceeded', 'secrets_unavailable'] as const;

function added({ tag, one, schema, example }: Kind) {
  return {
    ...{ id: `add${capital(one)}`, tag, summary: `Add a ${one}${within('to', one)}` },
    ...described(one),
    headers: [ifMatchOfList],
    answers: {
      201: json(`The ${one} was added.`, schema, example, { ...ETAG, ...LOCATION }),
    },
    problems: [...CHANGE_PROBLEMS, 'already_exists'],
  } satisfies Words;
}

function replaced({ tag, one, schema, example }: Kind, there = schema) {
  return {
    ...{ id: `put${capital(one)}`, tag, ...described(one) },
    summary: `Add or replace one ${one}${within('in', one)}`,
    headers: [ifMatchIfThere, ifNoneMatchAny],
    answers: {
      200: json(`The ${one} was replaced.`, there, example, ETAG),
      201: json(`The ${one} was added.`, schema, example, { ...ETAG, ...LOCATION }),
    },
    problems: [...CHANGE_PROBLEMS, 'precondition_required'],
  } satisfies Words;
}

function removed({ tag, one }: Kind) {
  return {
    ...{ id: `remove${capital(one)}`, tag, summary: `Remove a ${one}${within('from', one)}` },
    headers: [ifMatch],
    answers: { 204: { description: `The ${one} was removed.` } },
    problems: [
      ...DELETE_PROBLEMS,
      'secrets_unavailable',
      ...(one === 'rule' ? [] : (['in_use'] as const)),
    ],
  } satisfies Words;
}

const capital = (words: string) =>
  words
    .split(' ')
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('');

const within = (preposition: string, one: Kind['one']) =>
  one === 'contact point' ? '' : ` ${preposition} a watchlist`;

const described = (one: Kind['one']) => (one === 'contact point' ? {} : { description: WHOLE });

const contract: Kind = {
  ...{ tag: 'Watchlists', one: 'contract' },
  ...{ schema: ContractOfList, example: { contract: memberBody, ...listed } },
};

const rule: Kind = {
  ...{ tag: 'Watchlists', one: 'rule' },
  ...{ schema: RuleOfList, example: { rule: ruleExample, ...listed } },
};

const channel: Kind = {
  ...{ tag: 'Channels', one: 'channel' },
  ...{ schema: ChangedChannel, example: { channel: channelBody, ...listed, restarted: [] } },
};

const contactPoint: Kind = { ...channel, one: 'contact point' };

const ruleBodies = { 'a rule': ruleBody };

const contactPointBodies = { 'an email address': channelBody };

const channelBodies = { ...contactPointBodies, 'a contact point': 'desk' };

/**
 * Documents the operations on single contracts, rules and channels of a list, and on single contact
 * points.
 */
export const partOperations = describeRoutes(partRoutes, {
  'GET /v1/watchlists/{watchlist}/contracts': {
    id: 'listContracts',
    tag: 'Watchlists',
    summary: 'List the NFT contracts of a watchlist',
    answers: {
      200: json('The contracts.', ContractsOfList, { contracts: [memberBody], ...listed }),
    },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/contracts/{contract}': {
    id: 'getContract',
    tag: 'Watchlists',
    summary: 'Read one NFT contract of a watchlist',
    answers: { 200: json('The contract.', contract.schema, contract.example) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/contracts': {
    ...added(contract),
    bodies: {
      'with a name': memberBody,
      alone: memberBody.contract,
      'by its slug': 'azuki',
      'with tokens held': { ...memberBody, ...HELD },
    },
    problems: [...CHANGE_PROBLEMS, 'already_exists', ...SEARCH_PROBLEMS],
  },
  'PUT /v1/watchlists/{watchlist}/contracts/{contract}': {
    ...replaced(contract),
    bodies: { 'a name': { name: 'CryptoPunks' }, 'tokens held': HELD },
  },
  'DELETE /v1/watchlists/{watchlist}/contracts/{contract}': removed(contract),
  'GET /v1/watchlists/{watchlist}/rules': {
    id: 'listRules',
    tag: 'Watchlists',
    summary: 'List the rules of a watchlist',
    answers: { 200: json('The rules.', RulesOfList, { rules: [ruleExample], ...listed }) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/rules/{rule}': {
    id: 'getRule',
    tag: 'Watchlists',
    summary: 'Read one rule of a watchlist',
    answers: { 200: json('The rule.', rule.schema, rule.example) },
    problems: LOOKUP_PROBLEMS,
  },
  'POST /v1/watchlists/{watchlist}/rules': { ...added(rule), bodies: ruleBodies },
  'PUT /v1/watchlists/{watchlist}/rules/{rule}': { ...replaced(rule), bodies: ruleBodies },
  'DELETE /v1/watchlists/{watchlist}/rules/{rule}': removed(rule),
  'POST /v1/watchlists/{watchlist}/channels': { ...added(channel), bodies: channelBodies },
  'PUT /v1/watchlists/{watchlist}/channels/{channel}': {
    ...replaced(channel),
    bodies: channelBodies,
  },
  'DELETE /v1/watchlists/{watchlist}/channels/{channel}': removed(channel),
  'POST /v1/channels': { ...added(contactPoint), bodies: contactPointBodies },
  'PUT /v1/channels/{channel}': {
    ...replaced(contactPoint, PutContactPointResult),
    query: {
      dryRun:
        '`true` checks the request but writes nothing. A valid request then always returns 200, with the changes that it would make, and `If-Match` is optional.',
    },
    bodies: contactPointBodies,
  },
  'DELETE /v1/channels/{channel}': {
    ...removed(contactPoint),
    description:
      'A contact point cannot be removed while lists use it; the problem `in_use` names these lists.',
  },
});
