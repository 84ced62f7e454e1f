import type { Mutant } from './planted-bugs.ts';

const PRICES = 'shared/domain/metrics/prices.ts';
const EVALUATE = 'shared/domain/evaluation/evaluate-watch.ts';
const DESCRIBE = 'shared/domain/evaluation/describe-alert.ts';
const OUTLIER = 'shared/domain/market/outlier.ts';
const APPLY = 'functions/run-contracts/apply-watchlist.ts';

/** In what metrics are, when they move, and what is reported of them. */
export const PLANTED_IN_NUMBERS: readonly Mutant[] = [
  {
    name: 'a change is measured against the first price within its window',
    file: 'shared/domain/metrics/families/floor-change-pct.ts',
    from: 'const before = priceIn(unit, points[0]);',
    to: 'const before = priceIn(unit, points[1]);',
  },
  {
    name: 'what was revised counts in a window',
    file: PRICES,
    from: 'since[index + 1]?.time !== time)',
    to: 'since[index + 1]?.time !== -time)',
  },
  {
    name: 'a discount is a share of the sale',
    file: 'shared/domain/metrics/families/sale-discount-pct.ts',
    from: 'return share(floor.value - sold.value, floor.value, basis);',
    to: 'return share(floor.value - sold.value, sold.value, basis);',
  },
  {
    name: 'windows slide only with news',
    file: EVALUATE,
    from: 'const windowExpiries = windowExpiriesOf(watch, snapshot, answeredAt);',
    to: 'const windowExpiries = windowExpiriesOf(watch, snapshot, 0 * answeredAt);',
  },
  {
    name: 'a timer of a watch comes before a window expiry of the same instant',
    file: EVALUATE,
    from: 'if (windowExpiry <= own) {',
    to: 'if (windowExpiry < own) {',
    survives: 'a timer is evaluated by what its window holds then',
  },
  {
    name: 'a missing sale does not end a recovering episode',
    file: 'shared/domain/evaluation/transitions.ts',
    from: 'if (isEpisodeOpen(watch)) return recover(watch, cause);',
    to: "if (isEpisodeOpen(watch) && watch.state !== 'recovering') return recover(watch, cause);",
  },
  {
    name: 'a sale leaves its window counted from when it was reported',
    file: 'shared/domain/polling/absorb-answers.ts',
    from: 'return tradedAt + (lookBackDays(part) ?? 0) * 24 * 60 * MINUTE;',
    to: 'return Math.max(time, tradedAt) + (lookBackDays(part) ?? 0) * 24 * 60 * MINUTE;',
  },
  {
    name: 'an outage of one to two days asks for one day of floors',
    file: 'shared/domain/polling/floor-pages.ts',
    from: "if (age <= DAY) return '1d';",
    to: "if (age <= 2 * DAY) return '1d';",
  },
  {
    name: 'a rule that counts observations counts window expiries',
    file: EVALUATE,
    from: 'const isCounting = watch.ruleCondition.confirm !== undefined && !isEpisodeOpen(watch);',
    to: 'const isCounting = watch.ruleCondition.confirm !== undefined && isEpisodeOpen(watch);',
  },
  {
    name: 'a rule that gets another end goes on where it ended',
    file: 'shared/domain/watchlists/apply-list.ts',
    from: "if (old.admin === 'expired') return true;",
    to: "if (old.admin === 'expired') return false;",
    survives: 'rare: one seed in a hundred and more; sequences.test.ts holds it',
  },
  {
    name: 'of conditions that must hold together the first is enough',
    file: 'shared/domain/evaluation/result.ts',
    from: '  if (unmet === -1) {',
    to: '  if (unmet !== 0) {',
  },
  {
    name: 'the age of data counts from the last answer',
    file: 'shared/domain/evaluation/snapshot.ts',
    from: "if (clockOf(metric)?.since === 'newest') return known?.newest?.point.time;",
    to: "if (clockOf(metric)?.since === 'newest') return known?.answeredAt;",
  },
  {
    name: 'missing data are reported of twice as late',
    file: 'shared/domain/rules/alert-rule.ts',
    from: 'const threshold = (BigInt(span(noData.alert)) * ONE) / BigInt(MINUTE);',
    to: 'const threshold = (2n * BigInt(span(noData.alert)) * ONE) / BigInt(MINUTE);',
  },
  {
    name: 'the furthest of an episode is its last value',
    file: DESCRIBE,
    from: "extreme: kind === 'recovered' ? written(extremeOf(watch, cause)) : null,",
    to: "extreme: kind === 'recovered' && extremeOf(watch, cause) ? written(value) : null,",
  },
  {
    name: 'what was before is what is',
    file: DESCRIBE,
    from: 'previous: written(valueBefore(watch, cause)),',
    to: 'previous: written(valueBefore(watch, cause) && value),',
  },
  {
    name: 'a list as it once was begins watches anew',
    file: APPLY,
    from: '    expectNewest(list, watches);\n',
    to: '',
    survives: 'rare: it takes a worker that should be dead; sequences.test.ts holds it',
  },
  {
    name: 'windows slide from the first evaluation that comes to its end',
    file: APPLY,
    from: '  if (window > 0 && next.windowExpiries === undefined)\n    next = { ...next, windowExpiries: { until: watch.since } };\n',
    to: '',
    survives: 'rare: the first evaluation must be cut; sequences.test.ts holds it',
  },
  {
    name: 'an acknowledged episode is reminded of all the same',
    file: 'functions/notify-watchers/empty-outbox.ts',
    from: 'alerts.filter(({ kind }) => isSilenced(acknowledgement, kind)),',
    to: 'alerts.slice(alerts.length),',
  },
  {
    name: 'an acknowledgement silences the worsening that it is not for',
    file: 'shared/domain/alerting/acknowledgement.ts',
    from: "(kind === 'worsened' && silences === 'worsening')",
    to: "(kind === 'worsened' && silences !== undefined)",
  },
  {
    name: 'an outlier counts at once for every rule',
    file: 'shared/domain/evaluation/snapshot.ts',
    from: 'return takesOutliers || isClock(metric) ? snapshot : steadied(snapshot);',
    to: 'return takesOutliers || isClock(metric) || steadied(snapshot) ? snapshot : snapshot;',
  },
  {
    name: 'what the next floor has contradicted stays in windows',
    file: OUTLIER,
    from: 'return isGlitch ? [] : [',
    to: 'return isGlitch ? [point] : [',
  },
  {
    name: 'whether a floor was held back is decided anew with what is fetched later',
    file: OUTLIER,
    from: "const { observedAs = 'alone' } = point;",
    to: "const observedAs: PricePoint['observedAs'] = 'alone';",
    survives: 'rare: none of 150 seeds meets it; outlier.test.ts holds it',
  },
  {
    name: 'a wait over a window ends by what was known when it began',
    file: EVALUATE,
    from: 'hasSlid || isDerived(watch) || isUnobservedAt',
    to: 'hasSlid || isUnobservedAt',
  },
  {
    name: 'what came after a timer is passed over, though the timer found another state',
    file: EVALUATE,
    from: 'if (held.state !== watch.state) {',
    to: 'if (false) {',
    survives: 'rare: none of sixty seeds meets it; moves.test.ts holds it',
  },
  {
    name: 'every floor is recorded as one that was not held back',
    file: OUTLIER,
    from: "{ ...point, observedAs: 'outlier' }",
    to: "{ ...point, observedAs: 'price' }",
  },
  {
    name: 'an outlier that was confirmed was known ever since',
    file: OUTLIER,
    from: 'knownFrom: next.time }',
    to: 'knownFrom: point.time }',
  },
  {
    name: 'another report of the moment of an outlier confirms it',
    file: 'shared/domain/polling/number-points.ts',
    from: 'if (point.time === known.time) return base;',
    to: 'if (point.time === known.time) return undefined;',
  },
  {
    name: 'looks reach only rules that take outliers',
    file: 'shared/domain/evaluation/index-ranges.ts',
    from: '[snapshot, steadied(snapshot)]',
    to: '[snapshot, snapshot]',
    survives: 'rare: one seed in a hundred and more; index-ranges.test.ts holds it',
  },
  {
    name: 'a first value that does not come is reported again and again',
    file: 'shared/domain/evaluation/watch.ts',
    from: "state === 'unknown' && alerts % NUMBERS_LEAP === 0;",
    to: "state === 'unknown' && alerts >= 0;",
  },
  {
    name: 'the first value of a watch that reported none is not reported',
    file: EVALUATE,
    from: 'evaluate(reportFirstValue(watch, cause), {',
    to: 'evaluate(watch, {',
  },
  {
    name: 'no first value is reported where nothing was answered',
    file: 'shared/domain/evaluation/first-value.ts',
    from: 'if (dueAt === undefined || dueAt > now) return watch;',
    to: 'if (dueAt === undefined || dueAt > now || !record.parts.floor?.newest) return watch;',
    survives: 'rare: one seed in a hundred and more; missing-data.test.ts holds it',
  },
  {
    name: 'dust is a price',
    file: PRICES,
    from: "return isIgnored ? { kind: 'none', why: 'ignored' } : lowest;",
    to: "return isIgnored && lowest.kind === 'none' ? { kind: 'none', why: 'ignored' } : lowest;",
  },
  {
    name: 'dust is no sale',
    file: PRICES,
    from: "return isIgnored ? { kind: 'none', why: 'ignored' } : lowest;",
    to: "return isIgnored ? { kind: 'none', why: 'no_sale' } : lowest;",
  },
];
