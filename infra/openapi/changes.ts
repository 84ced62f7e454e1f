import { ChangePage, ChangeRead } from '#functions/serve-api/watchlists/answers/changes.ts';
import { changeRoutes } from '#functions/serve-api/watchlists/change-routes.ts';
import { describeRoutes, json, LOOKUP_PROBLEMS, pages } from './operation.ts';

const change = {
  id: '2026-11-21T12:00:00.000Z~4j2k9x',
  at: '2026-11-21T12:00:00.000Z',
  by: { key: '1a2b3c4d5e', name: 'the script', via: null },
  watchlist: 'punks',
  kind: 'watchlist_changed',
  revision: 3,
  edit: {
    name: null,
    wallet: null,
    contracts: { added: [], changed: [], removed: [] },
    rules: { added: ['floor-60'], changed: [], removed: ['floor-50'] },
    channels: { added: [], changed: ['desk'], removed: [] },
  },
  subject: null,
};

/** Documents the operations on the tenant's audit log. */
export const changeOperations = describeRoutes(changeRoutes, {
  'GET /v1/changes': {
    id: 'listChanges',
    tag: 'Changes',
    summary: 'List the changes of the tenant, newest first',
    description:
      'Includes each change of a list, its mutes or the contact points, each acknowledged alert, each tested or confirmed channel, and each key that was created, rotated or revoked through the API. The entry of a changed list names the changed parts. Entries are kept for 400 days.',
    query: {
      ...pages,
      watchlist: 'Only changes of the list with this id, even if the list was deleted.',
    },
    answers: {
      200: json('A page of changes.', ChangePage, {
        changes: [change],
        cursor: null,
        stoppedShort: false,
        unreadable: [],
      }),
    },
  },
  'GET /v1/changes/{change}': {
    id: 'getChange',
    tag: 'Changes',
    summary: 'Read one change with the resulting list and the differences',
    answers: {
      200: json('The change.', ChangeRead, {
        ...change,
        document: { name: 'Punks', contracts: [], rules: [{ id: 'floor-60', threshold: '60' }] },
        differences: [
          {
            ...{ part: 'rule', name: 'floor-60', how: 'added' },
            members: [{ member: 'threshold', before: null, after: '60' }],
          },
        ],
      }),
    },
    problems: LOOKUP_PROBLEMS,
  },
});
