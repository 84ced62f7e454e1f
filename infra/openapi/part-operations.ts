import type * as z from 'zod';
import {
  ChangedChannel,
  ContractOfList,
  ContractsOfList,
  RuleOfList,
  RulesOfList,
} from '#functions/manage-watchlists/answers.ts';
import type { watchlistRoutes } from '#functions/manage-watchlists/routes.ts';
import * as examples from './examples.ts';
import {
  DELETE_PROBLEMS,
  EDIT_PROBLEMS,
  json,
  LOOKUP_PROBLEMS,
  type Words,
  type WordsOf,
} from './operation.ts';
import { ifMatch, ifMatchIfThere, ifMatchOfList, ifNoneMatchAny } from './preconditions.ts';

const WHOLE =
  'It changes the document of the list, as a `PUT` of the list does: the answer has the new `revision`, and the number of contracts on which it is not in effect yet (`pendingChanges`).';
export const ETag = 'The revision of the list, in quotes.';
export const Location = 'The path of the new resource.';

/** The parts of one kind: their tag, their name in sentences and ids, and the answer that shows one. */
type Kind = {
  readonly tag: Words['tag'];
  readonly one: 'contract' | 'rule' | 'channel';
  readonly schema: z.ZodType;
  readonly example: unknown;
};

const CHANGE_PROBLEMS = [...EDIT_PROBLEMS, 'quota_exceeded', 'secrets_unavailable'] as const;

function added({ tag, one, schema, example }: Kind) {
  return {
    ...{ id: `add${capital(one)}`, tag, summary: `Add a ${one} to a watchlist` },
    description: WHOLE,
    headers: [ifMatchOfList],
    answers: {
      201: json(`The ${one} was added.`, schema, example, { ETag, Location }),
    },
    problems: [...CHANGE_PROBLEMS, 'already_exists'],
  } satisfies Words;
}

function replaced({ tag, one, schema, example }: Kind) {
  return {
    ...{ id: `put${capital(one)}`, tag, description: WHOLE },
    summary: `Add or replace one ${one} of a watchlist`,
    headers: [ifMatchIfThere, ifNoneMatchAny],
    answers: {
      200: json(`The ${one} is as in the body.`, schema, example, { ETag }),
      201: json(`The ${one} was added.`, schema, example, { ETag, Location }),
    },
    problems: [...CHANGE_PROBLEMS, 'precondition_required'],
  } satisfies Words;
}

function removed({ tag, one }: Kind) {
  return {
    ...{ id: `remove${capital(one)}`, tag, summary: `Remove a ${one} from a watchlist` },
    headers: [ifMatch],
    answers: { 204: { description: `The ${one} was removed.` } },
    problems: [
      ...DELETE_PROBLEMS,
      'secrets_unavailable',
      ...(one === 'contract' ? (['in_use'] as const) : []),
    ],
  } satisfies Words;
}

const capital = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`;

const contract: Kind = {
  ...{ tag: 'Watchlists', one: 'contract' },
  ...{ schema: ContractOfList, example: examples.contractOfList },
};
const rule: Kind = {
  ...{ tag: 'Watchlists', one: 'rule' },
  ...{ schema: RuleOfList, example: examples.ruleOfList },
};
const channel: Kind = {
  ...{ tag: 'Channels', one: 'channel' },
  ...{ schema: ChangedChannel, example: examples.changedChannel },
};
const ruleBodies = { 'a rule': examples.ruleBody };
const channelBodies = { 'an email address': examples.channelBody };

/** The parts of a list, each by itself. */
export const partWords = {
  'GET /v1/watchlists/{watchlist}/contracts': {
    id: 'listContracts',
    tag: 'Watchlists',
    summary: 'List the NFT contracts of a watchlist',
    answers: { 200: json('The contracts.', ContractsOfList, examples.contractsOfList) },
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
    bodies: { 'with a name': examples.memberBody, alone: examples.memberBody.contract },
  },
  'PUT /v1/watchlists/{watchlist}/contracts/{contract}': {
    ...replaced(contract),
    bodies: { 'a name': { name: 'CryptoPunks' } },
  },
  'DELETE /v1/watchlists/{watchlist}/contracts/{contract}': removed(contract),
  'GET /v1/watchlists/{watchlist}/rules': {
    id: 'listRules',
    tag: 'Watchlists',
    summary: 'List the rules of a watchlist',
    answers: { 200: json('The rules.', RulesOfList, examples.rulesOfList) },
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
} satisfies Partial<WordsOf<typeof watchlistRoutes>>;
