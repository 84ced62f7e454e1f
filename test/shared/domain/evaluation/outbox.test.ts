import { describe, expect, it } from 'vitest';
import { RuleAlert } from '#shared/domain/alerting/alert.ts';
import { evaluateSteps } from '#shared/domain/evaluation/evaluate-watch.ts';
import { NO_PAST } from '#shared/domain/evaluation/known-at-step.ts';
import { emptied, heldUntil, posted, summarized } from '#shared/domain/evaluation/outbox.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import { formatInstant, HOUR, MINUTE } from '#shared/domain/market/instant.ts';
import { momentInWords } from '#shared/domain/market/local-time.ts';
import { anAlert, aWatch, eth, NOON, stepsOf } from '#test/support/builders.ts';
import { createSeededRandom } from '#test/support/seeded-random.ts';

const WORDS = {
  condition: 'at or below 60 ETH',
  conditions: ['floor price at or below 60 ETH'],
  recover: 'above 60 ETH',
};

/** Alert number `n` of the watch, a minute after the one before; it fires and recovers in turn. */
const entry = (n: number, given: Partial<RuleAlert> = {}) =>
  anAlert({
    id: `hash.1.${n}`,
    kind: n % 2 === 1 ? 'fired' : 'recovered',
    dataTime: formatInstant(NOON + n * MINUTE),
    ...given,
  });

/** A watch that holds so many alerts. */
const holding = (count: number, watch: Watch = aWatch()) =>
  Array.from({ length: count }, (_, index) => index + 1).reduce(
    (before, n) => posted(before, entry(n), NOON + n * MINUTE),
    watch,
  );
const idsOf = ({ outbox }: Watch) => outbox.map(({ id }) => id);

describe('an outbox', () => {
  it('holds twenty alerts and the last, and counts by kind what came between', () => {
    const watch = holding(25);

    const first = Array.from({ length: 20 }, (_, index) => `hash.1.${index + 1}`);
    expect(idsOf(watch)).toEqual([...first, 'hash.1.25']);
    expect(watch.folded).toEqual({ counts: { fired: 2, recovered: 2 }, muted: false });
  });

  it('keeps all that somebody may be taking over when it runs over', () => {
    const before = holding(20);
    const after = posted(posted(before, entry(21), NOON), entry(22), NOON);

    expect(before.folded).toBeUndefined();
    expect(idsOf(after).slice(0, 20)).toEqual(idsOf(before));
  });

  it('is sent again two minutes after its first alert', () => {
    expect(holding(3).outboxDueAt).toBe(NOON + 3 * MINUTE);
  });

  it('that is held comes back at the end of the mute, whatever comes meanwhile', () => {
    const watch = posted(heldUntil(holding(2), holding(2).outbox, NOON + HOUR), entry(3), NOON);

    expect(watch.outboxDueAt).toBe(NOON + HOUR);
    expect(idsOf(watch)).toEqual(['hash.1.1', 'hash.1.2', 'hash.1.3']);
  });

  it('that is empty has no timer', () => {
    const held = heldUntil(holding(2), holding(2).outbox, NOON + HOUR);

    expect(emptied(held)).toEqual(aWatch());
  });
});

describe('the summary of what was held', () => {
  const held = (count: number, watch?: Watch) => {
    const full = holding(count, watch);
    return heldUntil(full, full.outbox, NOON + HOUR);
  };

  it('is one alert as of the last, with an id of its own', () => {
    const { outbox, folded, outboxDueAt } = summarized(held(3), WORDS, NOON + 2 * HOUR);

    expect(outbox).toEqual([
      {
        ...entry(3),
        id: 'hash.1.3s',
        kind: 'summary',
        at: formatInstant(NOON + 2 * HOUR),
        open: false,
        title: expect.any(String),
        facts: expect.any(Array),
      },
    ]);
    expect(RuleAlert.safeParse(outbox[0]).success).toBe(true);
    expect(folded).toBeUndefined();
    expect(outboxDueAt).toBe(NOON + 2 * HOUR + 2 * MINUTE);
  });

  it('loses count of nothing, however much there was', () => {
    const [summary] = summarized(held(47), WORDS, NOON).outbox;

    expect(summary?.facts.slice(0, 2)).toEqual([
      { name: 'Held back by a mute', value: 'fired 24 times, recovered 23 times' },
      {
        name: 'Held back since',
        value: momentInWords(Date.parse(entry(1).dataTime)),
        time: entry(1).dataTime,
      },
    ]);
  });

  it('is not folded into another: it may have been reported', () => {
    const once = summarized(held(2), WORDS, NOON);
    const more = Array.from({ length: 21 }, (_, index) => entry(index + 3));
    const full = more.reduce((before, alert) => posted(before, alert, NOON), once);

    const twice = summarized(full, WORDS, NOON);

    expect(full.outbox).toHaveLength(22);
    expect(idsOf(twice)).toEqual(['hash.1.2s', 'hash.1.23s']);
    expect(twice.outbox[1]?.facts[0]?.value).toContain('fired 11 times, recovered 10 times');
  });

  it.each([{ state: 'firing' }, { state: 'recovering' }] as const)(
    'reports an episode that is open ($state)',
    ({ state }) => {
      const watch = held(1, aWatch({ state, firedAt: NOON }));

      const [summary] = summarized(watch, WORDS, NOON).outbox;

      const since = formatInstant(NOON);
      expect(summary?.facts).toContainEqual({
        ...{ name: 'Since', value: momentInWords(NOON), time: since },
      });
      expect(summary?.open).toBe(true);
    },
  );

  it('reports a first value that has not come as what lasts', () => {
    const watch = held(2, aWatch({ state: 'unknown', noValueSince: NOON }));

    expect(summarized(watch, WORDS, NOON).outbox[0]?.open).toBe(true);
  });

  it('reports nothing that lasts of crossings', () => {
    const crossing = entry(1, { episode: null, open: null });
    const watch = heldUntil(posted(aWatch(), crossing, NOON), [crossing], NOON + HOUR);

    expect(summarized(watch, WORDS, NOON).outbox[0]?.open).toBeNull();
  });
});

/** What a message stands for: itself, or the alerts that a summary counts. */
function kindsOf({ kind, facts }: RuleAlert): readonly string[] {
  if (kind !== 'summary') return [kind];
  const counted = facts[0]?.value ?? '';
  return counted.split(', ').flatMap((part) => {
    const [, name = '', times = '1'] = /^(\w+) (?:once|(\d+) times)$/.exec(part) ?? [];
    return Array.from({ length: Number(times) }, () => (name === 'reminded' ? 'reminder' : name));
  });
}

const RULES: readonly Partial<Parameters<typeof aWatch>[0]>[] = [
  { repeatPolicy: { repeat: 'every', steps: eth('5') } },
  {
    ruleCondition: { keepFor: 3 * MINUTE },
    repeatPolicy: { repeat: 'every', reminder: 4 * MINUTE },
  },
  { ruleCondition: { when: 'crosses' } },
  { ruleCondition: { when: 'outside', low: eth('50'), high: eth('65'), for: 2 * MINUTE } },
];

it.each(RULES.map((rule, index) => [index, rule] as const))(
  'a mute changes what is sent and when, never the states, and loses nothing (rule %d)',
  (index, rule) => {
    const random = createSeededRandom(index);
    for (let round = 0; round < 40; round += 1) {
      let heard = aWatch({ state: 'unknown', ...rule });
      let muted = heard;
      let isMuted = false;
      const [made, sent]: [RuleAlert[], RuleAlert[]] = [[], []];
      const prices = ['45', '49', '55', '59', '60', '61', '66', '70'];
      const steps = stepsOf(...Array.from({ length: 90 }, () => random.pick(prices)));
      const polls = Map.groupBy(steps, ({ asked }) => asked);
      for (const [now, ofPoll] of polls) {
        const evaluated = (watch: Watch) => {
          const next = evaluateSteps(watch, ofPoll, NO_PAST, { now, cadenceMinutes: 30 });
          return next.alerts.reduce((before, alert) => posted(before, alert, now), next.watch);
        };
        [heard, muted] = [evaluated(heard), evaluated(muted)];
        made.push(...heard.outbox);
        heard = emptied(heard);
        if (now === NOON + 90 * MINUTE) isMuted = false;
        else if (random.below(12) === 0) isMuted = !isMuted;
        if (isMuted) {
          muted = heldUntil(muted, muted.outbox, NOON + 90 * MINUTE);
          continue;
        }
        if (muted.folded !== undefined) muted = summarized(muted, WORDS, now);
        sent.push(...muted.outbox);
        muted = emptied(muted);
      }

      expect(muted).toEqual(heard);
      expect(sent.flatMap(kindsOf).toSorted()).toEqual(made.map(({ kind }) => kind).toSorted());
      expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
      const alone = sent.filter(({ kind }) => kind !== 'summary');
      expect(made).toEqual(expect.arrayContaining(alone));
    }
  },
);
