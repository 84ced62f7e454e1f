import type { Mutant } from './planted-bugs.ts';

const GOVERNOR = 'shared/domain/polling/governor.ts';
const IDEMPOTENCY = 'shared/http/idempotency.ts';
const FIFO = 'shared/runtime/fifo-records.ts';
const ADOPT = 'shared/domain/watchlists/apply-list.ts';
const LAW = 'shared/domain/evaluation/law.ts';

/** Bugs in what all functions share: keys, versions, queues, the account of calls; and in lists. */
export const PLANTED_IN_STORES: readonly Mutant[] = [
  {
    name: 'watches of lists of one name are one',
    file: 'shared/domain/evaluation/watch.ts',
    from: "rule }: Omit<WatchId, 'contract'>): string {",
    to: "rule }: Omit<WatchId, 'contract'>): string {\n  tenant = 'acme';",
  },
  {
    name: 'alerts of lists of one name stand together',
    file: 'shared/stores/outcome-item.ts',
    from: "partitionOf({ tenant, watchlist }: Pick<AlertKey, 'tenant' | 'watchlist'>): string {",
    to: "partitionOf({ watchlist }: Pick<AlertKey, 'tenant' | 'watchlist'>): string {\n  const tenant = 'acme';",
  },
  {
    name: 'mutes of lists of one name are one',
    file: 'shared/stores/mute-store.ts',
    from: 'function keyOf({ tenant, id }: WatchlistId): Key {',
    to: "function keyOf({ id }: WatchlistId): Key {\n  const tenant = 'acme';",
  },
  {
    name: 'idempotency keys of all tenants are one',
    file: 'shared/stores/keyed-request-store.ts',
    from: 'function keyOf(tenant: string, hash: string): Key {',
    to: "function keyOf(tenant: string, hash: string): Key {\n  tenant = 'acme';",
  },
  {
    name: 'an answer is kept after its change',
    file: IDEMPOTENCY,
    from: `    isKept = true;
    return kept(answer);`,
    to: '    return kept === undefined ? undefined : void answer;',
  },
  {
    name: 'a request that a lost answer has made is not looked for',
    file: IDEMPOTENCY,
    from: 'if (answered === undefined) throw error;',
    to: 'if (answered !== null) throw error;',
    survives: 'its sender repeats it, and gets the kept answer; idempotency.test.ts holds it',
  },
  {
    name: 'an API key is not read again after an unknown outcome',
    file: 'shared/use-cases/manage-keys.ts',
    from: 'return await retryingConflicts(work, ATTEMPTS, mayHaveChanged);',
    to: 'void mayHaveChanged;\n  return await retryingConflicts(work, ATTEMPTS);',
  },
  {
    name: 'an inbox is of all channels of a tenant',
    file: 'shared/stores/inbox-store.ts',
    from: 'return { pk: partitionOf(entry.destinationId), sk: entryName(entry) };',
    to: "return { pk: partitionOf(entry.destinationId.includes('#team') ? 'stack-topic' : entry.destinationId), sk: entryName(entry) };",
  },
  {
    name: 'a channel is written whatever its version',
    file: 'shared/stores/channel-store.ts',
    from: 'await table.put(channelItem(written), record.version);',
    to: 'await table.put(channelItem(written));',
  },
  {
    name: 'what is made again begins with the version that it began with before',
    file: 'shared/stores/next-version.ts',
    from: 'version === 0 ? since : version + 1',
    to: 'Math.min(version, since) + 1',
  },
  {
    name: 'a list is written whatever its revision',
    file: 'shared/stores/watchlist-store.ts',
    from: '    version: revision - 1,\n',
    to: '',
  },
  {
    name: 'mutes are written whatever their version',
    file: 'shared/stores/mute-store.ts',
    from: ', version: version - 1 };',
    to: ' };',
  },
  {
    name: 'a governor is written whatever its version',
    file: 'shared/stores/governor-store.ts',
    from: 'await table.put(governorItem(provider, record), record.version);',
    to: 'await table.put(governorItem(provider, record));',
  },
  {
    name: 'each message is a group of its own, and contracts are written whatever their version',
    file: 'shared/domain/messages/groups.ts',
    from: 'return contract;',
    to: 'return contract + Math.random();',
    also: [
      {
        file: 'shared/stores/contract-store.ts',
        from: 'await table.put(toItem(written, now()), record.version);',
        to: 'await table.put(toItem(written, now()));',
      },
    ],
  },
  {
    name: 'a key that is refused is not read again',
    file: 'shared/providers/call-provider.ts',
    from: 'const fresh = await keyFrom(settings, true, signal);',
    to: 'const fresh = await keyFrom(settings, false, signal);',
  },
  {
    name: 'a tenant is what the request says',
    file: 'shared/http/caller.ts',
    from: '  const { tenant, keyId, keyName } = authorizer;',
    to: "  const { keyId, keyName } = authorizer;\n  const tenant = (event.headers['X-Tenant'] ?? authorizer.tenant) as CallerTenant;",
  },
  {
    name: 'a message that fails is done with',
    file: FIFO,
    from: '      return records.slice(index);',
    to: '      return [];',
    survives: 'the table is the truth: timers repeat what was lost',
  },
  {
    name: 'a message that fails is passed over, and those behind it go on',
    file: FIFO,
    from: '      return records.slice(index);',
    to: '      if (index < 0) return records;',
    survives: 'no message needs the one before it: each looks at the table',
  },
  {
    name: 'all is handled once it was tried, and nothing is due',
    file: FIFO,
    from: '      return records.slice(index);',
    to: '      return [];',
    also: [
      {
        file: 'functions/wake-work/wake-work.ts',
        from: 'sendTimers(ports, due.timers,',
        to: 'sendTimers(ports, [],',
      },
    ],
  },
  {
    name: 'slots are given away twice',
    file: GOVERNOR,
    from: 'nextSlotAt: { ...record.nextSlotAt, [user]: next },',
    to: 'nextSlotAt: { ...record.nextSlotAt, [user]: first },',
  },
  {
    name: 'a slot is given away as soon as it is asked for',
    file: GOVERNOR,
    from: 'const first = Math.max(record.nextSlotAt[user], now);',
    to: 'const first = now;',
  },
  {
    name: 'the budget is twice what it is, and no cadence is stretched',
    file: GOVERNOR,
    also: [
      {
        file: 'shared/domain/polling/tenant-shares.ts',
        from: '    const minutes = stretchedCadence(configuredMinutes, Math.max(byRate, byBudget));',
        to: '    const minutes = configuredMinutes;',
      },
    ],
    from: 'if (cost > left.inDay) {',
    to: 'if (cost > left.inDay + limits.budgetPerDay) {',
  },
  {
    name: 'a breaker that is open lets all through',
    file: GOVERNOR,
    from: 'if (breaker !== undefined && breaker.probeAt > now) {',
    to: 'if (breaker !== undefined && breaker.probeAt > now + 3_600_000) {',
  },
  {
    name: 'a breaker never closes',
    file: GOVERNOR,
    from: 'filter(([name]) => !names.includes(name))',
    to: 'filter(() => true)',
  },
  {
    name: 'a rule that means something else keeps its state',
    file: ADOPT,
    from: 'old?.generation === generation',
    to: 'old !== undefined',
  },
  {
    name: 'watches of what is gone stay',
    file: ADOPT,
    from: 'return [...removed, ...changes];',
    to: 'return [...removed.slice(1), ...changes];',
  },
  {
    name: 'an edit of words begins an episode anew',
    file: 'shared/domain/watchlists/watchlist.ts',
    from: 'const since = old !== undefined && keepsRuleCondition(old, rule) ? old.since : revision;',
    to: 'const since = revision;',
  },
  {
    name: 'a deleted list begins with its first revision again',
    file: 'shared/domain/watchlists/watchlist.ts',
    from: 'const revision = (before?.revision ?? 0) + 1;',
    to: 'const revision = (before?.deleted === false ? before.revision : 0) + 1;',
  },
  {
    name: 'a paused rule goes on',
    file: ADOPT,
    from: "if (!enabled) return 'paused';",
    to: '',
  },
  {
    name: 'a rule never ends',
    file: 'shared/domain/evaluation/evaluate-watch.ts',
    from: 'return expiresAt !== undefined && instant >= expiresAt;',
    to: 'return expiresAt !== undefined && instant < 0;',
    also: [
      {
        file: ADOPT,
        from: "isEnding ? 'enabled' : 'expired';",
        to: "isEnding ? 'enabled' : 'enabled';",
      },
    ],
  },
  {
    name: 'the end of a rule is reported whether it has come or not',
    file: 'functions/run-jobs/announce-expiry.ts',
    from: '!rule?.enabled || expiredAt === undefined || expiredAt > now',
    to: '!rule?.enabled || expiredAt === undefined',
  },
  {
    name: 'all points of the first answer are news',
    file: 'shared/domain/polling/past.ts',
    from: 'if (last === undefined) return ascending.slice(-1);',
    to: 'if (last === undefined) return ascending;',
  },
  {
    name: 'no floor is missing before the first',
    file: 'shared/domain/polling/past.ts',
    from: 'return { since, ...(window',
    to: 'return { since: 0, ...(window',
  },
  {
    name: 'what held before a gap has held in it',
    file: 'shared/domain/metrics/prices.ts',
    from: "first !== -1 && !(next?.kind === 'price' && next.isAfterGap === true)",
    to: 'first !== -1',
  },
  {
    name: 'a revised point is no news',
    file: 'shared/domain/polling/past.ts',
    from: '(point) => point.time > last.time || (point.time === last.time && !sameFloor(point, last)),',
    to: '(point) => point.time > last.time,',
  },
  {
    name: 'a price in another money is a price',
    file: 'shared/domain/metrics/prices.ts',
    from: 'return point.currency === unit\n',
    to: 'return point.currency !== ""\n',
  },
  {
    name: 'states move by the clock',
    file: LAW,
    from: 'since: times.length === 0 ? step.at : Math.max(time, watch.since),',
    to: 'since: now,',
  },
  {
    name: 'a reminder is news',
    file: LAW,
    from: "const isNews = kind !== 'reminder' && kind",
    to: 'const isNews = kind',
  },
  {
    name: 'a rule that speaks once speaks again',
    file: LAW,
    from: "repeatPolicy.repeat === 'once' ?",
    to: "repeatPolicy.repeat === 'once' && known.watch.episode > 1 ?",
  },
];
