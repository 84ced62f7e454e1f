import * as z from 'zod';
import { ListChannelAnswer } from '#shared/channels/channel-answers.ts';
import { TimeZone } from '#shared/domain/market/time-zone.ts';
import { WalletAddress } from '#shared/domain/market/wallet.ts';
import { ReportTimes } from '#shared/domain/watchlists/list-report.ts';
import { Escalation, NotifiedBySeverity } from '#shared/domain/watchlists/notified.ts';
import { Quiet } from '#shared/domain/watchlists/quiet-hours.ts';
import { Identifier, Line } from '#shared/domain/words.ts';
import { CADENCE, filledPage, ofList } from '#shared/http/answer-shapes.ts';
import { type Answered, object, output } from '#shared/http/described.ts';
import { Differences, Edit } from './changes.ts';
import { ForecastOfChange, ofChange } from './forecast-of-change.ts';
import { MuteRead } from './mutes.ts';
import { Member, Rule } from './parts.ts';

export const written = {
  name: 'The name of the list.',
  contracts: 'The watched NFT contracts.',
  rules: 'The rules on the contracts.',
  channels:
    'The destinations of its alerts: contact points of the tenant, by their ids, and channels of the list alone.',
  notify:
    'The channels that get the alerts of a severity, by their ids; all where it is left out. The `notify` of a rule goes first. Alerts about channels go to all.',
  escalate:
    'Who else learns of critical alerts that nobody acknowledges. These channels get no other alerts of the list, unless a `notify` names them.',
  timeZone:
    'The time zone in which its messages tell times, and which its quiet hours are of: a name of the IANA database, such as `Europe/Berlin`; UTC where it is left out.',
  report:
    'When people get a report of the list, an alert of the kind `report`: each day, or on one day of each week, at a time of its time zone. It has the floors of its contracts, how they have moved, and what fired.',
  quiet:
    'The hours in which people get nothing of the list but what is critical. What was held comes as one summary at their end; programs get every alert at once.',
} as const;

const WalletStatus = object('WalletStatus', 'The state of the wallet of a list.', {
  pending: [
    z.boolean(),
    'Whether the data provider has not reported its collections yet: they are added as soon as it does.',
  ],
  leftOut: [
    z.int().min(0),
    'How many of its collections are not watched: a limit leaves no room for them, or they have no price of their own.',
  ],
});

const documentMembers = {
  name: [Line, written.name],
  wallet: [
    WalletAddress.optional(),
    'The wallet whose collections are members, too; absent without one.',
  ],
  contracts: [z.array(Member), written.contracts],
  rules: [z.array(Rule), written.rules],
  channels: [z.array(ListChannelAnswer), written.channels],
  notify: [NotifiedBySeverity.optional(), written.notify],
  escalate: [Escalation.optional(), written.escalate],
  timeZone: [TimeZone.optional(), written.timeZone],
  quiet: [Quiet.optional(), written.quiet],
  report: [ReportTimes.optional(), written.report],
} as const;

const entryMembers = {
  id: [Identifier, 'The id of the list.'],
  ...documentMembers,
  walletStatus: [WalletStatus.nullable(), 'What became of its wallet; null without one.'],
  revision: [z.int().positive(), 'The number of its last change; its `ETag`.'],
} as const;

export const WatchlistEntry = object(
  'WatchlistEntry',
  'A watchlist on a page of watchlists.',
  entryMembers,
);
export type WatchlistEntry = Answered<typeof WatchlistEntry>;

export const WatchlistPage = object('WatchlistPage', 'A page of watchlists of a tenant.', {
  watchlists: [z.array(WatchlistEntry), 'The lists, by their ids.'],
  ...filledPage,
});
export type WatchlistPage = Answered<typeof WatchlistPage>;

export const WatchlistRead = object(
  'Watchlist',
  'A watchlist, and how far its revision is in effect.',
  {
    ...entryMembers,
    mutes: [z.array(MuteRead), 'The running mutes.'],
    ...ofChange,
    undeliverable: [
      z.boolean(),
      'Whether no channel of the list works; true also without channels.',
    ],
    pendingChanges: ofList.pendingChanges,
    cadenceMinutes: CADENCE,
    cadenceStretched: [
      z.boolean(),
      'Whether that is more than configured, because the budget of the stack is short.',
    ],
  },
);
export type WatchlistRead = Answered<typeof WatchlistRead>;

const WatchCounts = object(
  'WatchCounts',
  'How many watches of a list begin and end with a change.',
  {
    begun: [z.int().min(0), 'How many begin.'],
    ended: [z.int().min(0), 'How many end.'],
  },
);

export const DryRun = object('DryRun', 'What a PUT of a list would change.', {
  revision: [
    z.int().positive().nullable(),
    'The revision of the list; null if there is no such list.',
  ],
  edit: [Edit, 'The changes of its parts.'],
  differences: [Differences, 'The same in words, member by member.'],
  restarted: [z.array(Identifier), 'The rules whose open episodes would be closed.'],
  watches: [WatchCounts, 'How many watches would begin and end.'],
  forecast: [ForecastOfChange, 'The forecast of the new watches.'],
});
export type DryRun = Answered<typeof DryRun>;

export const PutResult = output(
  'PutResult',
  z.union([WatchlistRead, DryRun]),
  'The watchlist after a PUT; or, for a dry run, what the PUT would change.',
);
export type PutResult = Answered<typeof PutResult>;

export const WatchlistExport = object(
  'WatchlistExport',
  'A watchlist as a document that a PUT takes.',
  {
    ...documentMembers,
    wallet: [WalletAddress.optional(), 'The wallet whose collections are members, too.'],
    contracts: [
      z.array(Member.omit({ by: true })),
      'The watched NFT contracts but for those of the wallet.',
    ],
  },
);
export type WatchlistExport = Answered<typeof WatchlistExport>;
