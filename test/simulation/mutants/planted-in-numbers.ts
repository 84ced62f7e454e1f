import type { Mutant } from './planted-bugs.ts';

const PRICES = 'shared/domain/metrics/prices.ts';
const EVALUATE = 'shared/domain/evaluation/evaluate-watch.ts';
const DESCRIBE = 'shared/domain/evaluation/describe-alert.ts';
const OUTLIER = 'shared/domain/market/outlier.ts';
const LAW = 'shared/domain/evaluation/law.ts';
const KNOWN = 'shared/domain/evaluation/known-at-step.ts';
const APPEND = 'shared/domain/timeline/append-poll.ts';
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
    name: 'an episode over a window ends only with a new price',
    file: LAW,
    from: 'return !step.forTimers && isEpisodeOpen(watch) && hasWindow(watch);',
    to: 'return false;',
  },
  {
    name: 'a poll that brings no price makes no step for windows',
    file: 'shared/domain/polling/contract-record.ts',
    from: '    window !== undefined ||\n',
    to: '',
    survives: 'the simulation follows the steps that were made; absorb-answers.test.ts holds it',
  },
  {
    name: 'a missing sale does not end a recovering episode',
    file: LAW,
    from: 'if (isEpisodeOpen(watch)) return recover(known, moment, moment.time);',
    to: "if (isEpisodeOpen(watch) && watch.state !== 'recovering') return recover(known, moment, moment.time);",
  },
  {
    name: 'a sale leaves its window counted from when it was reported',
    file: 'shared/domain/polling/absorb-answers.ts',
    from: 'return tradedAt + (seriesOf(part).lookBackDays ?? 0) * 24 * 60 * MINUTE;',
    to: 'return Math.max(time, tradedAt) + (seriesOf(part).lookBackDays ?? 0) * 24 * 60 * MINUTE;',
  },
  {
    name: 'an outage of one to two days asks for one day of floors',
    file: 'shared/domain/polling/floor-pages.ts',
    from: "if (age <= DAY) return '1d';",
    to: "if (age <= 2 * DAY) return '1d';",
  },
  {
    name: 'a rule that counts prices counts polls',
    file: LAW,
    from: 'return moment.isNews ? count(known, confirm, beyond, moment) : known;',
    to: 'return count(known, confirm, beyond, moment);',
    survives: 'a watch that counts prices has no timer before it fires',
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
    from: 'return newestOf(record, part)?.time;',
    to: 'return record.parts[part]?.answeredAt;',
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
    name: 'the past of windows is read for the newest step alone',
    file: 'functions/run-contracts/evaluation.ts',
    from: 'const begin = Math.min(ports.now(), ...times, ...before) - 1;',
    to: 'const begin = Math.max(...times) - 1;',
  },
  {
    name: 'a resting joint watch waits at the line of one condition by the side of another',
    file: 'shared/domain/evaluation/law.ts',
    from: 'return { position: watch.position, unmet: watch.unmet };',
    to: 'return { position: watch.position, unmet };',
  },
  {
    name: 'the furthest value of an episode is that of its end if one poll begins and ends it',
    file: 'shared/domain/evaluation/evaluate-watch.ts',
    from: 'return earliest([firedAt, ...begun.map(({ dataTime }) => Date.parse(dataTime))]);',
    to: 'return firedAt;',
  },
  {
    name: 'a floor that is reported before its time is dropped',
    file: 'shared/domain/timeline/append-poll.ts',
    from: 'ahead: all.filter(isAhead).slice(-MOST_FLOORS),',
    to: 'ahead: [],',
  },
  {
    name: 'an acknowledged episode is reminded of all the same',
    file: 'shared/domain/channels/plan.ts',
    from: 'if (!kindsIn(entry).some(isWanted)) {',
    to: 'if (!kindsIn(entry).some(() => isWanted !== undefined)) {',
  },
  {
    name: 'an acknowledgement silences the worsening that it is not for',
    file: 'shared/domain/alerting/acknowledgement.ts',
    from: "(kind === 'worsened' && silences === 'worsening')",
    to: "(kind === 'worsened' && silences !== undefined)",
  },
  {
    name: 'a suspect counts at once for every rule',
    file: KNOWN,
    from: "return ruleCondition.takesOutliers ? 'reported' : 'floor';",
    to: "return 'reported';",
  },
  {
    name: 'a suspect that is not confirmed stays in windows',
    file: OUTLIER,
    from: "    if (floor.observedAs === 'suspect') continue;\n",
    to: '',
  },
  {
    name: 'whether a floor is a glitch is decided anew with floors that are fetched later',
    file: OUTLIER,
    from: '      floor.observedAs === undefined &&\n',
    to: '',
    survives: 'rare: none of 150 seeds meets it; outlier.test.ts holds it',
  },
  {
    name: 'an old price that leaves its window fires',
    file: LAW,
    from: "isEvent: !hasWindow(watch) || isMove || watch.state === 'unknown',",
    to: 'isEvent: true,',
  },
  {
    name: 'a timer that comes between a new price and the question waits for the next poll',
    file: APPEND,
    from: '  if (steps.length > 0 && at < asked) add({}, asked, true);\n',
    to: '',
    survives: 'the simulation follows the steps that were made; append-poll.test.ts holds it',
  },
  {
    name: 'a suspect is recorded as a price',
    file: 'shared/domain/timeline/recorded-points.ts',
    from: "observedAs: 'suspect' }",
    to: "observedAs: 'price' }",
  },
  {
    name: 'a suspect that is confirmed makes no step',
    file: APPEND,
    from: 'const confirmed = isConfirming ? [{ points: { floor: held }, time: held.time }] : [];',
    to: 'const confirmed: Found[] = [];',
    survives: 'the simulation follows the steps that were made; append-poll.test.ts holds it',
  },
  {
    name: 'a revision of a suspect confirms it',
    file: APPEND,
    from: 'const held = suspect?.time === floor.time ? undefined : suspect;',
    to: 'const held = suspect;',
    survives: 'the simulation follows the steps that were made; append-poll.test.ts holds it',
  },
  {
    name: 'a suspect reaches no rule that takes outliers',
    file: 'shared/domain/evaluation/index-ranges.ts',
    from: "['floor', 'reported'] : ['floor']",
    to: "['floor'] : ['floor']",
  },
  {
    name: 'a first value that does not come is reported again and again',
    file: 'shared/domain/evaluation/watch.ts',
    from: "state === 'unknown' && alerts % NUMBERS_LEAP === 0;",
    to: "state === 'unknown' && alerts >= 0;",
  },
  {
    name: 'the first value of a watch that reported none is not reported',
    file: LAW,
    from: 'const known = withFirstValue(watch, moment);',
    to: 'const known = { watch, alerts: [] };',
  },
  {
    name: 'no first value is reported where nothing was answered',
    file: EVALUATE,
    from: 'if (dueAt === undefined || dueAt > now) return still(watch);',
    to: 'if (dueAt === undefined || dueAt > now || !snapshot.record?.parts.floor?.answeredAt) return still(watch);',
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
  {
    name: 'a rule moves though a suspect would give another result',
    file: LAW,
    from: 'return !isSameResult(ruleCondition, result, taken);',
    to: 'return isSameResult(ruleCondition, result, taken) && false;',
  },
  {
    name: 'without an offer an open episode recovers',
    file: 'shared/domain/metrics/families/best-offer.ts',
    from: "return latest?.kind === 'empty' ? { kind: 'none', why: 'no_offer' } : priceIn(unit, latest);",
    to: 'return priceIn(unit, latest);',
  },
  {
    name: 'a spread is a share of the offer',
    file: 'shared/domain/metrics/families/spread-pct.ts',
    from: 'return share(floor.value - best.value, floor.value, basis);',
    to: 'return share(floor.value - best.value, best.value, basis);',
  },
  {
    name: 'the last offer stays after the answer that there is none',
    file: 'shared/domain/polling/absorb-answers.ts',
    from: "if (none === undefined || last?.kind === 'empty') return undefined;",
    to: "if (lookBackDays === undefined || last?.kind === 'empty') return undefined;",
    survives: 'rare: sixty seeds do not meet it; absorb-answers.test.ts holds it',
  },
];
