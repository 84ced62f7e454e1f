import type { Mutant } from './planted-bugs.ts';

const RATE_LIMITER = 'shared/domain/polling/rate-limiter.ts';
const IDEMPOTENCY = 'shared/http/idempotency.ts';
const FIFO = 'shared/runtime/fifo-records.ts';
const ADOPT = 'shared/domain/watchlists/apply-list.ts';
const LAW = 'shared/domain/evaluation/law.ts';

/**
 * Bugs in code that all functions share (keys, versions, queues, the rate limiter), and in lists.
 */
export const PLANTED_IN_STORES: readonly Mutant[] = [
  {
    name: 'lists with the same name share their watches',
    file: 'shared/domain/evaluation/watch.ts',
    from: "rule }: Omit<WatchId, 'contract'>): string {",
    to: "rule }: Omit<WatchId, 'contract'>): string {\n  tenant = 'acme';",
  },
  {
    name: 'lists with the same name share their alerts',
    file: 'shared/stores/outcome-item.ts',
    from: "partitionOf({ tenant, watchlist }: Pick<AlertKey, 'tenant' | 'watchlist'>): string {",
    to: "partitionOf({ watchlist }: Pick<AlertKey, 'tenant' | 'watchlist'>): string {\n  const tenant = 'acme';",
  },
  {
    name: 'lists with the same name share their mutes',
    file: 'shared/stores/mute-store.ts',
    from: 'function keyOf({ tenant, id }: WatchlistId): Key {',
    to: "function keyOf({ id }: WatchlistId): Key {\n  const tenant = 'acme';",
  },
  {
    name: 'tenants share their idempotency keys',
    file: 'shared/stores/keyed-request-store.ts',
    from: 'function keyOf(tenant: string, hash: string): Key {',
    to: "function keyOf(tenant: string, hash: string): Key {\n  tenant = 'acme';",
  },
  {
    name: 'the idempotent answer is stored after its change',
    file: IDEMPOTENCY,
    from: `    isKept = true;
    return kept(answer);`,
    to: '    return kept === undefined ? undefined : void answer;',
  },
  {
    name: 'the change of a request with a lost answer is not looked up',
    file: IDEMPOTENCY,
    from: 'if (answered === undefined) throw error;',
    to: 'if (answered !== null) throw error;',
    survives: 'the sender repeats it and gets the stored answer; idempotency.test.ts covers it',
  },
  {
    name: 'an API key is not read again after an unknown outcome',
    file: 'shared/use-cases/manage-keys.ts',
    from: 'return await retryingConflicts(work, ATTEMPTS, mayHaveChanged);',
    to: 'void mayHaveChanged;\n  return await retryingConflicts(work, ATTEMPTS);',
  },
  {
    name: 'all channels of a tenant share an inbox',
    file: 'shared/stores/inbox-store.ts',
    from: 'return { pk: partitionOf(entry.destinationId), sk: inboxSortKey(entry) };',
    to: "return { pk: partitionOf(entry.destinationId.includes('#team') ? 'stack-topic' : entry.destinationId), sk: inboxSortKey(entry) };",
  },
  {
    name: 'a channel is written whatever its version',
    file: 'shared/stores/channel-store.ts',
    from: 'await table.put(channelItem(written), record.version);',
    to: 'await table.put(channelItem(written));',
  },
  {
    name: 'a recreated item starts with its former first version',
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
    name: 'a rate limiter is written whatever its version',
    file: 'shared/stores/rate-limiter-store.ts',
    from: 'await table.put(rateLimiterItem(provider, record), record.version);',
    to: 'await table.put(rateLimiterItem(provider, record));',
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
    name: 'a refused key is not read again',
    file: 'shared/providers/call-provider.ts',
    from: 'const fresh = await keyFrom(settings, true, signal);',
    to: 'const fresh = await keyFrom(settings, false, signal);',
  },
  {
    name: 'the request header decides the tenant',
    file: 'shared/http/caller.ts',
    from: '  const { tenant, keyId, keyName } = authorizer;',
    to: "  const { keyId, keyName } = authorizer;\n  const tenant = (event.headers['X-Tenant'] ?? authorizer.tenant) as CallerTenant;",
  },
  {
    name: 'a failed message is deleted',
    file: FIFO,
    from: '      return records.slice(index);',
    to: '      return [];',
    survives: 'the table contains all pending work, so timers repeat lost messages',
  },
  {
    name: 'the messages after a failed message are still handled',
    file: FIFO,
    from: '      return records.slice(index);',
    to: '      if (index < 0) return records;',
    survives: 'no message depends on an earlier one, because each handler reads the table',
  },
  {
    name: 'failed messages are deleted, and timers are never sent',
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
    name: 'calls are reserved twice',
    file: RATE_LIMITER,
    from: 'nextCallAt: { ...record.nextCallAt, [user]: next },',
    to: 'nextCallAt: { ...record.nextCallAt, [user]: first },',
  },
  {
    name: 'calls are reserved for the moment of the request',
    file: RATE_LIMITER,
    from: 'const first = Math.max(record.nextCallAt[user], now);',
    to: 'const first = now;',
  },
  {
    name: 'the budget counts twice, and no cadence is stretched',
    file: RATE_LIMITER,
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
    name: 'an open circuit breaker allows all calls',
    file: RATE_LIMITER,
    from: 'if (breaker !== undefined && breaker.probeAt > now) {',
    to: 'if (breaker !== undefined && breaker.probeAt > now + 3_600_000) {',
  },
  {
    name: 'a circuit breaker never closes',
    file: RATE_LIMITER,
    from: 'filter(([name]) => !names.includes(name))',
    to: 'filter(() => true)',
  },
  {
    name: 'a rule with a changed meaning keeps its state',
    file: ADOPT,
    from: 'old?.generation === generation',
    to: 'old !== undefined',
  },
  {
    name: 'watches of removed rules remain',
    file: ADOPT,
    from: 'return [...removed, ...changes];',
    to: 'return [...removed.slice(1), ...changes];',
  },
  {
    name: 'an edit of texts restarts an episode',
    file: 'shared/domain/watchlists/watchlist.ts',
    from: 'const since = old !== undefined && keepsRuleCondition(old, rule) ? old.since : revision;',
    to: 'const since = revision;',
  },
  {
    name: 'a recreated list starts with its first revision again',
    file: 'shared/domain/watchlists/watchlist.ts',
    from: 'const revision = (before?.revision ?? 0) + 1;',
    to: 'const revision = (before?.deleted === false ? before.revision : 0) + 1;',
  },
  {
    name: 'a paused rule continues',
    file: ADOPT,
    from: "if (!enabled) return 'paused';",
    to: '',
  },
  {
    name: 'a rule never expires',
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
    name: 'the end of a rule is reported too early',
    file: 'functions/run-jobs/announce-expiry.ts',
    from: '!rule?.enabled || expiredAt === undefined || expiredAt > now',
    to: '!rule?.enabled || expiredAt === undefined',
  },
  {
    name: 'all points of the first answer count as new',
    file: 'shared/domain/polling/backfill-state.ts',
    from: 'if (last === undefined) return ascending.slice(-1);',
    to: 'if (last === undefined) return ascending;',
  },
  {
    name: 'floors before the first one never count as missing',
    file: 'shared/domain/polling/backfill-state.ts',
    from: 'return { since, ...(window',
    to: 'return { since: 0, ...(window',
  },
  {
    name: 'a condition before a gap counts as true within the gap',
    file: 'shared/domain/metrics/prices.ts',
    from: "first !== -1 && !(next?.kind === 'price' && next.isAfterGap === true)",
    to: 'first !== -1',
  },
  {
    name: 'a revised point is ignored',
    file: 'shared/domain/polling/backfill-state.ts',
    from: '(point) => point.time > last.time || (point.time === last.time && !sameFloor(point, last)),',
    to: '(point) => point.time > last.time,',
  },
  {
    name: 'a price in another currency counts',
    file: 'shared/domain/metrics/prices.ts',
    from: 'return point.currency === unit\n',
    to: 'return point.currency !== ""\n',
  },
  {
    name: 'states change at the time of the evaluation',
    file: LAW,
    from: 'since: times.length === 0 ? step.at : Math.max(time, watch.since),',
    to: 'since: now,',
  },
  {
    name: 'a reminder counts as news',
    file: LAW,
    from: "const isNews = kind !== 'reminder' && kind",
    to: 'const isNews = kind',
  },
  {
    name: 'a rule that should fire once fires again',
    file: LAW,
    from: "repeatPolicy.repeat === 'once' ?",
    to: "repeatPolicy.repeat === 'once' && known.watch.episode > 1 ?",
  },
];
