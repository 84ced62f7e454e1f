import * as z from 'zod';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { ChangeKind } from '#shared/domain/watchlists/change.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { filledPage, MOMENT, MomentText } from '#shared/http/answer-shapes.ts';
import { type Answered, object, register } from '#shared/http/described.ts';
import { ActorRead } from './actor.ts';

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
export type Edit = Answered<typeof Edit>;

const changeMembers = {
  id: [z.string(), 'The id of the change; ids are in the order of time.'],
  at: [MomentText, `When the change was made: ${MOMENT}.`],
  by: [
    ActorRead,
    'The key or the link of a message that was used, or the wallet that the list follows.',
  ],
  watchlist: [
    Identifier.nullable(),
    'The id of the changed list; null for contact points and keys.',
  ],
  kind: [ChangeKind, 'The kind of change.'],
  revision: [
    z.int().positive().nullable(),
    'The new revision of the list; null if the change made none.',
  ],
  edit: [Edit.nullable(), 'The changed parts, by their names; null without a new revision.'],
  subject: [
    z.string().nullable(),
    'The id of the changed mute, channel or key, or the moment and the id of the alert; null for the list itself.',
  ],
} as const;

export const ChangeEntry = object('Change', 'An entry of the audit log.', changeMembers);
export type ChangeEntry = Answered<typeof ChangeEntry>;

const DifferingMember = object('DifferingMember', 'A member that differs.', {
  member: [z.string(), 'Its name.'],
  before: [z.string().nullable(), 'What it was, in words; null where there was none.'],
  after: [
    z.string().nullable(),
    'What it is, in words; null where there is none any more. Secrets have names (`kept:…`).',
  ],
});

const Difference = object('Difference', 'What differs in one part of a list.', {
  part: [z.enum(['list', 'contract', 'rule', 'channel']), 'The kind of part.'],
  name: [
    z.string().nullable(),
    'The contract, or the id of the rule or the channel; null for the list itself.',
  ],
  how: [z.enum(['added', 'changed', 'removed']), 'What became of it.'],
  members: [z.array(DifferingMember), 'Its members that differ.'],
});

export const Differences = z.array(Difference);

const ChangedDocument = register({
  name: 'ChangedDocument',
  schema: z.looseObject({}),
  side: 'output',
  description:
    'A list as a person could have written it at a time, with the members that lists had.',
  members: {},
});

export const ChangeRead = object('ChangeRead', 'An entry of the audit log, and what it has made.', {
  ...changeMembers,
  document: [
    ChangedDocument.nullable(),
    'The list after the change, for a PUT that restores it: the names of secrets (`kept:…`) hold while the list has them. Null for a deleted list, and for a change without a new revision.',
  ],
  differences: [
    Differences.nullable(),
    'What the change has changed, in words; null without a new revision.',
  ],
});
export type ChangeRead = Answered<typeof ChangeRead>;

export const ChangePage = object('ChangePage', 'A page of the audit log.', {
  changes: [z.array(ChangeEntry), 'The changes, newest first.'],
  ...filledPage,
});
export type ChangePage = Answered<typeof ChangePage>;
