import {
  ChangedChannel,
  ContractOfList,
  ContractsOfList,
  RuleOfList,
  RulesOfList,
} from '#functions/manage-watchlists/answers.ts';
import { MemberReplacement } from '#functions/manage-watchlists/requests.ts';
import { ChannelBody } from '#shared/domain/channels/channel-body.ts';
import { AlertRule } from '#shared/domain/rules/alert-rule.ts';
import { MemberBody } from '#shared/domain/watchlists/watchlist-body.ts';
import * as examples from './examples.ts';
import type { Operation } from './operation.ts';
import {
  ifMatch,
  ifMatchIfThere,
  ifMatchOfList,
  ifNoneMatchAny,
  withTagsAndKeys,
} from './preconditions.ts';

const WHOLE =
  'It changes the one document of the list, as a `PUT` of the list would: the answer reports its new `revision`, and on how many contracts that is still to come (`pendingChanges`).';
const ETag = 'The revision of the list, in quotes.';
const Location = 'The path of what was made.';

type Answer = Operation['answers'][number];

/** What may be done with the parts of one kind. */
type Kind = {
  readonly tag: Operation['tag'];
  /** In paths and in names. */
  readonly one: 'contract' | 'rule' | 'channel';
  readonly all: 'contracts' | 'rules' | 'channels';
  readonly added: Operation['body'];
  readonly replaced: Operation['body'];
  readonly answered: Pick<Answer, 'schema' | 'example'>;
};

const CHANGE_PROBLEMS = [
  'invalid_request',
  'too_large',
  'unsupported_media_type',
  'not_found',
  'unreadable',
  'conflict',
  'precondition_failed',
  'quota_exceeded',
  'secrets_unavailable',
  'forbidden',
] as const;

function changesOf({ tag, one, all, added, replaced, answered }: Kind) {
  const [path, Name] = [
    `/v1/watchlists/{watchlist}/${all}`,
    `${one[0]?.toUpperCase()}${one.slice(1)}`,
  ];
  const isThere = { ...answered, headers: { ETag } };
  const isNew = { ...answered, headers: { ETag, Location } };
  return {
    [`POST ${path}`]: {
      ...{ id: `add${Name}`, tag, summary: `Add a ${one} to a watchlist`, description: WHOLE },
      parameters: [ifMatchOfList],
      ...(added === undefined ? {} : { body: added }),
      answers: { 201: { ...isNew, description: `The ${one} was added.` } },
      problems: [...CHANGE_PROBLEMS, 'already_exists'],
    },
    [`PUT ${path}/{${one}}`]: {
      ...{ id: `put${Name}`, tag, description: WHOLE },
      summary: `Make one ${one} of a watchlist what the body says`,
      parameters: [ifMatchIfThere, ifNoneMatchAny],
      ...(replaced === undefined ? {} : { body: replaced }),
      answers: {
        200: { ...isThere, description: `The ${one} is as the body says.` },
        201: { ...isNew, description: `There was no such ${one}, and it was added.` },
      },
      problems: [...CHANGE_PROBLEMS, 'precondition_required'],
    },
    [`DELETE ${path}/{${one}}`]: {
      ...{ id: `remove${Name}`, tag, summary: `Take a ${one} away from a watchlist` },
      parameters: [ifMatch],
      answers: { 204: { description: `The list has no such ${one} any more.` } },
      problems: [
        'invalid_request',
        'not_found',
        'unreadable',
        'conflict',
        'precondition_failed',
        'precondition_required',
        'secrets_unavailable',
        'forbidden',
        ...(one === 'contract' ? (['in_use'] as const) : []),
      ],
    },
  } satisfies Readonly<Record<string, Operation>>;
}

const READING_PROBLEMS = ['invalid_request', 'not_found', 'unreadable', 'forbidden'] as const;
const contract = { schema: ContractOfList, example: examples.contractOfList };
const rule = { schema: RuleOfList, example: examples.ruleOfList };
const ruleBody = { required: true, schema: AlertRule, examples: { 'a rule': examples.ruleBody } };
const channelBody = {
  required: true,
  schema: ChannelBody,
  examples: { 'an email address': examples.channelBody },
};

/** The parts of a list, each by itself. */
export const partOperations: Readonly<Record<string, Operation>> = withTagsAndKeys({
  'GET /v1/watchlists/{watchlist}/contracts': {
    id: 'listContracts',
    tag: 'Watchlists',
    summary: 'List the NFT contracts of a watchlist',
    answers: {
      200: {
        description: 'The contracts.',
        schema: ContractsOfList,
        example: examples.contractsOfList,
      },
    },
    problems: READING_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/contracts/{contract}': {
    id: 'getContract',
    tag: 'Watchlists',
    summary: 'Read one NFT contract of a watchlist',
    answers: { 200: { ...contract, description: 'The contract.' } },
    problems: READING_PROBLEMS,
  },
  ...changesOf({
    ...{ tag: 'Watchlists', one: 'contract', all: 'contracts', answered: contract },
    added: {
      required: true,
      schema: MemberBody,
      examples: { 'with a name': examples.memberBody, alone: examples.memberBody.contract },
    },
    replaced: {
      required: true,
      schema: MemberReplacement,
      examples: { 'a name': { name: 'CryptoPunks' } },
    },
  }),
  'GET /v1/watchlists/{watchlist}/rules': {
    id: 'listRules',
    tag: 'Watchlists',
    summary: 'List the rules of a watchlist',
    answers: {
      200: { description: 'The rules.', schema: RulesOfList, example: examples.rulesOfList },
    },
    problems: READING_PROBLEMS,
  },
  'GET /v1/watchlists/{watchlist}/rules/{rule}': {
    id: 'getRule',
    tag: 'Watchlists',
    summary: 'Read one rule of a watchlist',
    answers: { 200: { ...rule, description: 'The rule.' } },
    problems: READING_PROBLEMS,
  },
  ...changesOf({
    ...{ tag: 'Watchlists', one: 'rule', all: 'rules', answered: rule },
    ...{ added: ruleBody, replaced: ruleBody },
  }),
  ...changesOf({
    ...{ tag: 'Channels', one: 'channel', all: 'channels' },
    ...{ added: channelBody, replaced: channelBody },
    answered: { schema: ChangedChannel, example: examples.changedChannel },
  }),
});
