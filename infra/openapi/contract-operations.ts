import {
  CollectionsAnswer,
  ContractAnswer,
  ContractPage,
  HistoryPage,
  PreviewAnswer,
  StackHealth,
} from '#functions/read-contracts/answers.ts';
import { contractRoutes } from '#functions/read-contracts/routes.ts';
import * as examples from './examples.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS, pages } from './operation.ts';

/** Watched contracts, previews of rules, and the health of the stack. */
export const contractOperations = describeRoutes(contractRoutes, {
  'GET /v1/contracts': {
    id: 'listWatchedContracts',
    tag: 'Contracts',
    summary: 'List the contracts on the watchlists of the tenant',
    query: pages,
    answers: {
      200: json('A page of contracts.', ContractPage, {
        contracts: [examples.contract],
        cursor: null,
        unreadable: [],
      }),
    },
  },
  'GET /v1/contracts/{contract}': {
    id: 'getWatchedContract',
    tag: 'Contracts',
    summary: 'Read the last reported prices of a contract, and their health',
    description: 'The answer is 404 for a contract on none of your watchlists.',
    answers: { 200: json('The contract.', ContractAnswer, examples.contract) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/contracts/{contract}/history': {
    id: 'getContractHistory',
    tag: 'Contracts',
    summary: 'Read the recorded prices of a contract, newest first',
    description: 'Each point is kept for 35 days, and the last of each UTC day for ever.',
    query: {
      part: 'The query to the data provider: the floor, or the lowest sale of the last N days.',
      from: 'The first moment of the span, with its zone; the first recorded price if left out.',
      to: 'The last moment of the span, with its zone; now if left out.',
      ...pages,
    },
    answers: { 200: json('A page of points.', HistoryPage, examples.historyPage) },
    problems: LOOKUP_PROBLEMS,
  },
  'GET /v1/collections': {
    id: 'searchCollections',
    tag: 'Contracts',
    summary: 'Find the contract of a collection by its name, slug or link',
    description:
      'Asks the data provider, within the daily share of the tenant. If several collections may be meant, `candidates` lists them: ask again with a slug. The answer is 501 if the provider cannot search.',
    query: { query: 'The name of the collection, its slug, a link to it, or `<chain>:<address>`.' },
    answers: {
      200: json('What was found.', CollectionsAnswer, {
        collection: {
          contract: 'eth:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d',
          name: 'Bored Ape Yacht Club',
        },
        candidates: [],
      }),
    },
    problems: [
      ...(['not_found', 'not_supported'] as const),
      ...(['upstream_failed', 'upstream_unavailable', 'upstream_timeout'] as const),
    ],
  },
  'POST /v1/rules/preview': {
    id: 'previewRule',
    tag: 'Rules',
    summary:
      'Preview a rule on past prices of contracts: when it would have fired, and with which messages',
    description:
      'The rule is evaluated at each recorded price of the span, by the code that evaluates all rules, as if it had been created at the beginning of the span and each price had been reported at once. Floors that were not recorded are requested from the data provider, at most ten pages; for a contract on none of your lists only these are evaluated. Nothing is stored.',
    bodies: { 'thirty days': examples.previewBody },
    answers: { 200: json('The alerts that it would have sent.', PreviewAnswer, examples.preview) },
  },
  'GET /v1/health': {
    id: 'getHealth',
    tag: 'Health',
    summary: 'Read the health of the stack',
    description:
      'Cached for ten seconds. It covers the stack as a whole; contracts, watches and channels have a health of their own.',
    answers: {
      200: json(
        'The stack works.',
        StackHealth,
        { status: 'ok', dispatchedAt: '2026-11-21T12:01:00.000Z', notes: [] },
        { 'Cache-Control': 'How long it may be cached.' },
      ),
    },
    problems: ['unhealthy'],
  },
});
