import * as z from 'zod';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { ChangeKind } from '#shared/domain/watchlists/change.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { filledPage, MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object, register } from '#shared/http/described.ts';
import { ActorRead } from './actor.ts';

const EditedParts = object('EditedParts', 'The changed contracts, rules or channels of a list.', {
  added: [z.array(z.string()), 'The added parts.'],
  changed: [z.array(z.string()), 'The changed parts.'],
  removed: [z.array(z.string()), 'The removed parts.'],
});

const EditedWallet = object('EditedWallet', 'The wallet of a list after a change.', {
  address: [WalletAddress.nullable(), 'The address of the wallet; null if the list has no wallet.'],
  leftOut: [z.int().min(0), 'The number of collections of the wallet that are not watched.'],
});

export const Edit = object('Edit', 'The changed parts of a list, by name.', {
  name: [Line.nullable(), 'The new name of the list; null if unchanged.'],
  wallet: [EditedWallet.nullable(), 'The wallet of the list; null if unchanged.'],
  contracts: [EditedParts, 'Contracts, each named by its chain and address.'],
  rules: [EditedParts, 'Rules, each named by its id.'],
  channels: [EditedParts, 'Channels, each named by its id.'],
});
export type Edit = Answered<typeof Edit>;

const changeMembers = {
  id: [z.string(), 'The id of the change. Sorting changes by id also sorts them by time.'],
  at: [MomentText, `The time of the change: ${MOMENT}.`],
  by: [ActorRead, 'Who made the change: a key, a message link, or the wallet of the list.'],
  watchlist: [
    Identifier.nullable(),
    'The id of the changed list; null for contact points and keys.',
  ],
  kind: [ChangeKind, 'The kind of change.'],
  revision: [
    z.int().positive().nullable(),
    'The new revision of the list; null if the change did not create a revision.',
  ],
  edit: [
    Edit.nullable(),
    'The names of the changed parts; null if the change did not create a revision.',
  ],
  subject: [
    z.string().nullable(),
    'The id of the changed mute, channel or key, or the time and the id of the acknowledged alert; null for the list itself.',
  ],
} as const;

export const ChangeEntry = object('Change', 'An entry of the audit log.', changeMembers);
export type ChangeEntry = Answered<typeof ChangeEntry>;

const DifferingMember = object('DifferingMember', 'A changed member.', {
  member: [z.string(), 'The name of the member.'],
  before: [z.string().nullable(), 'The old value, in words; null if there was no value.'],
  after: [
    z.string().nullable(),
    'The new value, in words; null if the value was removed. Secrets are shown as `kept:…`.',
  ],
});

const Difference = object('Difference', 'The differences in one part of a list.', {
  part: [z.enum(['list', 'contract', 'rule', 'channel']), 'The kind of part.'],
  name: [
    z.string().nullable(),
    'The contract, or the id of the rule or the channel; null for the list itself.',
  ],
  how: [z.enum(['added', 'changed', 'removed']), 'Whether the part was added, changed or removed.'],
  members: [z.array(DifferingMember), 'The changed members of the part.'],
});

export const Differences = z.array(Difference);

const ChangedDocument = register({
  name: 'ChangedDocument',
  schema: z.looseObject({}),
  side: 'output',
  description: 'The document of a list after a change, in the format that lists had at that time.',
  members: {},
});

export const ChangeRead = object(
  'ChangeRead',
  'An audit log entry, with the list after the change.',
  {
    ...changeMembers,
    document: [
      ChangedDocument.nullable(),
      'The list after the change, for a PUT that restores it. The placeholders for secrets (`kept:…`) are valid while the list still has these secrets. Null for a deleted list, and for a change without a new revision.',
    ],
    differences: [
      Differences.nullable(),
      'The differences between the list before and after the change, in words; null if the change did not create a revision.',
    ],
  },
);
export type ChangeRead = Answered<typeof ChangeRead>;

export const ChangePage = object('ChangePage', 'A page of the audit log.', {
  changes: [z.array(ChangeEntry), 'The changes, newest first.'],
  ...filledPage,
});
export type ChangePage = Answered<typeof ChangePage>;
