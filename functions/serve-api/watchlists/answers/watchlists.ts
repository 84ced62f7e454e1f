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
    'The destinations of alerts: ids of contact points of the tenant, and channels that only this list uses.',
  notify:
    'For each severity, the ids of the channels that get the alerts; all channels by default. The `notify` of a rule takes precedence. Alerts about a channel go to all other channels.',
  escalate:
    'The channels that also get critical alerts that nobody acknowledges. They get no other alerts of the list, unless a `notify` names them.',
  timeZone:
    'The time zone for messages and quiet hours: a name from the IANA database, such as `Europe/Berlin`; UTC by default.',
  report:
    'When people get the report about the list, which is an alert of the kind `report`: each day, or on one day of each week, in the time zone of the list. The report contains the floors of the contracts, the changes of the floors, and the rules that fired.',
  quiet:
    'Quiet hours, during which people get only critical alerts. At the end they get all other alerts as one summary. Programs get every alert immediately.',
} as const;

const WalletStatus = object('WalletStatus', 'The state of the wallet of a list.', {
  pending: [
    z.boolean(),
    'Whether the collections of the wallet are still missing. They are added when the data provider reports them.',
  ],
  leftOut: [
    z.int().min(0),
    'The number of collections of the wallet that are not watched, because a contract limit is reached or the collections have no price of their own.',
  ],
});

const documentMembers = {
  name: [Line, written.name],
  wallet: [
    WalletAddress.optional(),
    'The wallet whose collections the list also watches; absent if the list has no wallet.',
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
  walletStatus: [
    WalletStatus.nullable(),
    'The state of the wallet; null if the list has no wallet.',
  ],
  revision: [
    z.int().positive(),
    'The revision, which is the number of the last change of the list. The `ETag` begins with the revision.',
  ],
} as const;

export const WatchlistEntry = object(
  'WatchlistEntry',
  'A watchlist on a page of watchlists.',
  entryMembers,
);
export type WatchlistEntry = Answered<typeof WatchlistEntry>;

export const WatchlistPage = object('WatchlistPage', 'A page of watchlists of a tenant.', {
  watchlists: [z.array(WatchlistEntry), 'The lists, sorted by id.'],
  ...filledPage,
});
export type WatchlistPage = Answered<typeof WatchlistPage>;

export const WatchlistRead = object(
  'Watchlist',
  'A watchlist, and whether its revision is in effect.',
  {
    ...entryMembers,
    mutes: [z.array(MuteRead), 'The active mutes.'],
    ...ofChange,
    undeliverable: [
      z.boolean(),
      'True if no channel of the list works, or if the list has no channels.',
    ],
    pendingChanges: ofList.pendingChanges,
    cadenceMinutes: CADENCE,
    cadenceStretched: [
      z.boolean(),
      'Whether the poll interval is longer than configured, because the budget of the stack is insufficient.',
    ],
  },
);
export type WatchlistRead = Answered<typeof WatchlistRead>;

const WatchCounts = object(
  'WatchCounts',
  'The number of watches that a change of a list starts, and the number that it ends.',
  {
    begun: [z.int().min(0), 'The number of watches that start.'],
    ended: [z.int().min(0), 'The number of watches that end.'],
  },
);

export const DryRun = object('DryRun', 'The changes that a PUT of a list would make.', {
  revision: [
    z.int().positive().nullable(),
    'The revision of the list; null if there is no such list.',
  ],
  edit: [Edit, 'The changed parts.'],
  differences: [Differences, 'The changed members of each part, in words.'],
  restarted: [z.array(Identifier), 'The rules whose open episodes would be closed.'],
  watches: [WatchCounts, 'How many watches would start and end.'],
  forecast: [ForecastOfChange, 'What the new watches are expected to do.'],
});
export type DryRun = Answered<typeof DryRun>;

export const PutResult = output(
  'PutResult',
  z.union([WatchlistRead, DryRun]),
  'The watchlist after a PUT; for a dry run, the changes that the PUT would make.',
);
export type PutResult = Answered<typeof PutResult>;

export const WatchlistExport = object('WatchlistExport', 'A watchlist as a document for a PUT.', {
  ...documentMembers,
  wallet: [WalletAddress.optional(), 'The wallet whose collections the list also watches.'],
  contracts: [
    z.array(Member.omit({ by: true })),
    'The watched NFT contracts, without those that were added because of the wallet.',
  ],
});
export type WatchlistExport = Answered<typeof WatchlistExport>;
