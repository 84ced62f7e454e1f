import * as z from 'zod';
import { changeRoutes } from '#functions/manage-watchlists/change-routes.ts';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { ChangeKind } from '#shared/domain/watchlists/change.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { Actor } from './actor.ts';
import { object } from './component.ts';
import { describeRoutes, json, pages } from './operation.ts';
import { filledPage, MOMENT, MomentText } from './shapes.ts';

const EditedParts = object('EditedParts', 'The changed parts of one kind.', {
  added: [z.array(z.string()), 'The added parts.'],
  changed: [z.array(z.string()), 'The changed parts.'],
  removed: [z.array(z.string()), 'The removed parts.'],
});

const EditedWallet = object('EditedWallet', 'The wallet of a list after a change.', {
  address: [WalletAddress.nullable(), 'Its address; null without one.'],
  leftOut: [z.int().min(0), 'How many of its collections are not watched.'],
});

export const Edit = object('Edit', 'The changed parts of a list, by their names.', {
  name: [Line.nullable(), 'The new name of the list; null if unchanged.'],
  wallet: [
    EditedWallet.nullable(),
    'The wallet of the list, and how many of its collections are left out; null if both are as before.',
  ],
  contracts: [EditedParts, 'Contracts.'],
  rules: [EditedParts, 'Rules, by their ids.'],
  channels: [EditedParts, 'Channels, by their ids.'],
});

const Change = object('Change', 'An entry of the audit log.', {
  id: [z.string(), 'The id of the change; ids are in the order of time.'],
  at: [MomentText, `When the change was made: ${MOMENT}.`],
  by: [
    Actor,
    'The key or the link of a message that was used, or the wallet that the list follows.',
  ],
  watchlist: [Identifier.nullable(), 'The id of the changed list; null for contact points.'],
  kind: [ChangeKind, 'The kind of change.'],
  revision: [
    z.int().positive().nullable(),
    'The new revision of the list; null if the change made none.',
  ],
  edit: [Edit.nullable(), 'The changed parts, by their names; null without a new revision.'],
  subject: [
    z.string().nullable(),
    'The id of the changed mute or channel, or the moment and the id of the alert; null for the list itself.',
  ],
});

export const ChangePage = object('ChangePage', 'A page of the audit log.', {
  changes: [z.array(Change), 'The changes, newest first.'],
  ...filledPage,
});

/** The audit log of the tenant. */
export const changeOperations = describeRoutes(changeRoutes, {
  'GET /v1/changes': {
    id: 'listChanges',
    tag: 'Changes',
    summary: 'List the changes of the tenant, newest first',
    description:
      'Each accepted change of a list and of its mutes, each acknowledged alert, and each tested or confirmed channel, for 400 days. A change names the changed parts.',
    query: {
      ...pages,
      watchlist: 'Only changes of the list with this id, also if it is deleted.',
    },
    answers: {
      200: json('A page of changes.', ChangePage, {
        changes: [
          {
            id: '2026-11-21T12:00:00.000Z~4j2k9x',
            at: '2026-11-21T12:00:00.000Z',
            by: { key: '1a2b3c4d5e', name: 'the script' },
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
          },
        ],
        cursor: null,
        stoppedShort: false,
        unreadable: [],
      }),
    },
  },
});
