import { describe, expect, it } from 'vitest';
import { createSharedAnswers } from '#functions/serve-nft-data/shared-answers.ts';
import type { NftAnswer, NftQuestion } from '#functions/serve-nft-data/source.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { contractOf } from '#shared/domain/market/contract.ts';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '#shared/domain/market/instant.ts';
import type { AskingOutcome } from '#shared/domain/nft-data/known-answer.ts';
import { type AnswerStore, createAnswerStore } from '#shared/stores/answer-store.ts';
import { createTimeline } from '#test/simulation/services/timeline.ts';
import { APES, NOON, PUNKS } from '#test/support/builders.ts';

/** The maximum duration of a request, after which its function ends. */
const TIMEOUT = 25 * SECOND;
const TABLE_TAKES = 5;
const UPSTREAM_TAKES = 300;

type Ending = { readonly answer?: NftAnswer; readonly error?: unknown; readonly after: number };

/** Instances of the function that share one table. Each call takes some virtual time. */
function world() {
  const timeline = createTimeline(NOON);
  const { now } = timeline;
  const table = createMemoryTable();
  const store = createAnswerStore(table, {
    pack: async (text) => text,
    unpack: async (packed) => packed,
  });
  const asked: { readonly at: Instant; readonly question: NftQuestion }[] = [];
  const reports: unknown[] = [];
  const upstream = {
    outcome: (): AskingOutcome => ({ kind: 'ok', body: `page ${asked.length}` }),
    takes: UPSTREAM_TAKES,
  };
  const until = (instant: Instant) =>
    new Promise<void>((resolve) => {
      timeline.at(instant, () => {
        resolve();
        return true;
      });
    });

  /** An instance. `diesAfter` is the number or the name of the call after which it stops. */
  const anInstance = (
    given: { readonly diesAfter?: number | 'ask'; readonly put?: AnswerStore['put'] } = {},
  ) => {
    const calls: string[] = [];
    const call = async <Result>(name: string, takes: number, work: () => Promise<Result>) => {
      calls.push(name);
      const isLast = given.diesAfter === name || given.diesAfter === calls.length;
      await until(now() + takes);
      const result = await work();
      if (isLast) await new Promise<never>(() => undefined);
      return result;
    };
    const { recall, ask } = createSharedAnswers({
      now,
      sleepUntil: (instant) => call('sleep', instant - now(), async () => undefined),
      getAnswer: (id) => call('get', TABLE_TAKES, () => store.get(id)),
      putAnswer: (id, known) => call('put', TABLE_TAKES, () => (given.put ?? store.put)(id, known)),
      askUpstream: (question) => {
        asked.push({ at: now(), question });
        return call('ask', upstream.takes, async () => upstream.outcome());
      },
      report: (event) => void reports.push(event),
    });
    /** Handles a request: returns a stored answer, or calls the upstream. */
    const request = (question: NftQuestion = aQuestion()): Ending[] => {
      const begun = now();
      const endings: Ending[] = [];
      const { signal } = new AbortController();
      // Lets a caller with a stored answer end before time advances.
      timeline.at(begun, () => true);
      recall(question)
        .then(async (atHand) => atHand ?? (await ask(question, signal)))
        .then((answer) => endings.push({ answer, after: now() - begun }))
        .catch((error: unknown) => endings.push({ error, after: now() - begun }));
      return endings;
    };
    return { request, calls };
  };

  return {
    now,
    asked,
    reports,
    upstream,
    store,
    table,
    anInstance,
    /** Advances the virtual time. */
    pass: (milliseconds: number) => timeline.runUntil(now() + milliseconds),
    /** Sends a request to an instance, and waits for its end. */
    answered: async (instance = anInstance(), question = aQuestion()): Promise<NftAnswer> => {
      const endings = instance.request(question);
      await timeline.runUntil(now() + TIMEOUT);
      const [{ answer, error } = { error: new Error('no answer') }] = endings;
      if (answer === undefined) throw error;
      return answer;
    },
  };
}

const contract = contractOf(PUNKS);
const { chain } = contract;

function aQuestion(given: Partial<Extract<NftQuestion, { operation: 'floor' }>> = {}): NftQuestion {
  return { operation: 'floor', contract, chain, interval: '7d', ...given };
}

const TRAITS = {
  operation: 'traits',
  contract,
  chain,
  traits: [['Type', 'Ape']],
  body: '{"traits":{"Type":"Ape"}}',
} as const;
const LOWEST = { operation: 'lowest', contract, chain, days: 7 } as const;

describe('concurrent callers with the same request', () => {
  it('concurrent callers share one call, in any number of instances', async () => {
    const { anInstance, asked, pass } = world();

    const requests = Array.from({ length: 100 }, () => anInstance().request());
    await pass(TIMEOUT);

    expect(asked).toHaveLength(1);
    const answers = requests.map(([ending]) => ending?.answer);
    expect(answers).toEqual(
      Array.from({ length: 100 }, () => expect.objectContaining({ kind: 'ok', body: 'page 1' })),
    );
    const slowest = Math.max(...requests.map(([ending]) => ending?.after ?? TIMEOUT));
    expect(slowest).toBeLessThan(UPSTREAM_TAKES + 150);
  });

  it.each<readonly [what: string, NftQuestion]>([
    ['interval', aQuestion({ interval: '1d' })],
    ['cursor', aQuestion({ cursor: 'next' })],
    ['contract', aQuestion({ contract: contractOf(APES) })],
    ['chain', aQuestion({ contract: contractOf(`base:${contract.address}`) })],
    ['operation', LOWEST],
  ])('a request with another %s has its own answer', async (_, question) => {
    const { anInstance, asked, pass } = world();

    anInstance().request();
    anInstance().request(question);
    await pass(TIMEOUT);

    expect(asked).toHaveLength(2);
  });

  it.each<readonly [NftQuestion, object]>([
    [TRAITS, { body: '{"traits":{"Type":"ape"}}' }],
    [TRAITS, { body: '{"traits":{"Type":"Ape","__proto__":"x"}}' }],
    [TRAITS, { body: '{"traits":{"Type":"Ape","Hat":"Cap"}}' }],
    [TRAITS, { limit: 5 }],
    [TRAITS, { normalizeMetadata: true }],
    [TRAITS, { format: 'hex' }],
    [TRAITS, { media_items: true }],
    [LOWEST, { days: 30 }],
    [LOWEST, { marketplace: 'blur' }],
  ])('the request %o with the other parameters %o has its own answer', async (question, other) => {
    const { anInstance, asked, pass } = world();

    anInstance().request(question);
    anInstance().request({ ...question, ...other });
    await pass(TIMEOUT);

    expect(asked).toHaveLength(2);
  });

  it.each([
    ['white space', '{ "traits" : {\n  "Type": "Ape", "Hat": "Cap" } }'],
    ['order', '{"traits":{"Hat":"Cap","Type":"Ape"}}'],
    ['escapes', '{"traits":{"Type":"\\u0041pe","Hat":"Cap"}}'],
  ])('requests that differ only in the %s of their traits share one answer', async (_, body) => {
    const { anInstance, asked, pass } = world();

    anInstance().request({ ...TRAITS, body: '{"traits":{"Type":"Ape","Hat":"Cap"}}' });
    anInstance().request({ ...TRAITS, body });
    await pass(TIMEOUT);

    expect(asked).toHaveLength(1);
  });

  it('requests share an answer only if they write numbers in the same way', async () => {
    const { anInstance, asked, pass } = world();

    for (const level of ['9007199254740993', '9007199254740992', '"9007199254740992"']) {
      anInstance().request({ ...TRAITS, body: `{"traits":{"Level":${level}}}` });
    }
    await pass(TIMEOUT);

    expect(asked).toHaveLength(3);
  });

  it.each<AskingOutcome>([
    { kind: 'empty' },
    { kind: 'not_ready' },
    { kind: 'failed', reason: 'timeout' },
    { kind: 'throttled', retryAfterSeconds: 9 },
    { kind: 'no_capacity', until: NOON + MINUTE },
  ])('concurrent callers also share the outcome %j', async (outcome) => {
    const { anInstance, asked, pass, upstream } = world();
    upstream.outcome = () => outcome;

    const requests = Array.from({ length: 20 }, () => anInstance().request());
    await pass(TIMEOUT);

    expect(asked).toHaveLength(1);
    for (const [ending] of requests) expect(ending?.answer).toMatchObject(outcome);
  });

  it('an answer too large to store is requested by each caller, without waiting', async () => {
    const { anInstance, asked, pass, answered, upstream } = world();
    const body = 'x'.repeat(400_000);
    upstream.outcome = () => ({ kind: 'ok', body });
    await answered();
    await pass(HOUR);

    const requests = Array.from({ length: 10 }, () => anInstance().request());
    await pass(TIMEOUT);

    expect(asked).toHaveLength(11);
    for (const [ending] of requests) {
      expect(ending?.answer).toEqual({ kind: 'ok', from: 'upstream', body });
      expect(ending?.after).toBeLessThan(2 * UPSTREAM_TAKES);
    }
  });
});

describe('a stored answer', () => {
  it.each([
    { question: aQuestion(), seconds: 60 },
    { question: LOWEST, seconds: 60 },
    { question: TRAITS, seconds: 300 },
  ])(
    'a stored answer is reused for $seconds seconds: $question.operation',
    async ({ question, seconds }) => {
      const { answered, asked, pass, anInstance, now } = world();
      await answered(anInstance(), question);
      const at = NOON + TABLE_TAKES * 2 + UPSTREAM_TAKES;

      await pass(at + seconds * SECOND - 2 * TABLE_TAKES - now());
      const again = await answered(anInstance(), question);
      const after = await answered(anInstance(), question);

      expect(asked).toHaveLength(2);
      const page = { kind: 'ok', body: 'page 1', from: 'upstream' };
      expect(again).toEqual({ ...page, cached: { ageSeconds: seconds - 1 } });
      expect(after).toMatchObject({ body: 'page 2' });
    },
  );

  it('an instance keeps a recent answer in memory, and then does not read the table', async () => {
    const { answered, anInstance } = world();
    const instance = anInstance();
    await answered(instance);
    const before = [...instance.calls];

    const again = await answered(instance);

    expect(before).toEqual(['get', 'put', 'ask', 'put']);
    expect(instance.calls).toEqual(before);
    expect(again).toMatchObject({ body: 'page 1', cached: { ageSeconds: 24 } });
  });

  it('an instance with an older answer returns the newer answer of another instance', async () => {
    const { answered, anInstance, pass, asked } = world();
    const [one, other] = [anInstance(), anInstance()];
    await answered(one);
    await pass(2 * MINUTE);
    await answered(other);

    const answer = await answered(one);

    expect(asked).toHaveLength(2);
    expect(answer).toMatchObject({ body: 'page 2' });
  });
});

describe('an upstream without an answer', () => {
  it.each<readonly [AskingOutcome, seconds: number]>([
    [{ kind: 'denied', reason: 'key' }, 5],
    [{ kind: 'throttled' }, 5],
    [{ kind: 'failed', reason: 'timeout' }, 5],
    [{ kind: 'no_capacity', until: NOON }, 1],
    [{ kind: 'not_ready' }, 15],
    [{ kind: 'not_found' }, 60],
    [{ kind: 'unsupported', reason: 'retired' }, 60],
  ])('after the refusal %o no caller asks again for %i seconds', async (refusal, seconds) => {
    const { anInstance, asked, upstream, pass } = world();
    upstream.outcome = () => refusal;
    anInstance().request();
    // The refusal arrived a third of a second after the start.
    await pass(seconds * SECOND);

    anInstance().request();
    await pass(SECOND);
    const meanwhile = asked.length;
    anInstance().request();
    await pass(SECOND);

    expect([meanwhile, asked.length]).toEqual([1, 2]);
  });

  it.each<Exclude<AskingOutcome, { kind: 'ok' | 'empty' }>>([
    { kind: 'failed', reason: 'timeout' },
    { kind: 'failed', reason: 'server_error' },
    { kind: 'failed', reason: 'garbage' },
    { kind: 'failed', reason: 'too_large' },
    { kind: 'throttled' },
    { kind: 'denied', reason: 'quota' },
    { kind: 'no_capacity', until: NOON + DAY },
    { kind: 'not_ready' },
    { kind: 'unsupported', reason: 'retired' },
  ])(
    'the last good answer is reused for a day, with its age, if the upstream answers %j',
    async (refusal) => {
      const { answered, upstream, pass } = world();
      await answered();
      upstream.outcome = () => refusal;

      await pass(3 * HOUR);
      const late = await answered();
      await pass(20 * HOUR);
      const later = await answered();
      await pass(2 * HOUR);
      const tooLate = await answered();

      const { kind: insteadOf } = refusal;
      expect(late).toMatchObject({
        body: 'page 1',
        cached: { insteadOf, ageSeconds: 3 * 3600 + 25 },
      });
      expect(later).toMatchObject({ body: 'page 1', cached: { insteadOf } });
      expect(tooLate).toEqual(refusal);
    },
  );

  it.each<AskingOutcome>([{ kind: 'not_found' }, { kind: 'failed', reason: 'bad_request' }])(
    'no older answer replaces %j',
    async (outcome) => {
      const { answered, upstream, pass } = world();
      await answered();
      upstream.outcome = () => outcome;

      await pass(HOUR);

      expect(await answered()).toEqual(outcome);
    },
  );

  it('an empty answer is reused too, instead of an older good one', async () => {
    const { answered, upstream, pass } = world();
    await answered(undefined, undefined);
    upstream.outcome = () => ({ kind: 'empty' });
    await pass(HOUR);
    await answered();
    upstream.outcome = () => ({ kind: 'failed', reason: 'network' });
    await pass(HOUR);

    expect(await answered()).toMatchObject({ kind: 'empty', cached: { insteadOf: 'failed' } });
  });

  it('a failing upstream is not called for a few seconds, and its next answer is used immediately', async () => {
    const { anInstance, asked, pass, upstream } = world();
    const honest = upstream.outcome;
    upstream.outcome = () => ({ kind: 'failed', reason: 'server_error' });
    for (let second = 0; second < 10; second += 1) {
      anInstance().request();
      await pass(SECOND);
    }
    const failing = asked.length;
    upstream.outcome = honest;
    await pass(5 * SECOND);
    const [ending] = await (async () => {
      const endings = anInstance().request();
      await pass(SECOND);
      return endings;
    })();

    expect(failing).toBe(2);
    expect(ending?.answer).toMatchObject({ kind: 'ok', body: 'page 3' });
  });
});

describe('a slow upstream', () => {
  /** A world with an answer that is 75 seconds old, and an upstream that now takes this long. */
  async function slow(takes: number) {
    const slowWorld = world();
    const { answered, pass, upstream, anInstance } = slowWorld;
    await answered();
    await pass(75 * SECOND - (slowWorld.now() - NOON));
    upstream.takes = takes;
    /** Sends a request, and returns its outcome after this time; undefined if it is still running. */
    const ask = async (milliseconds: number, instance = anInstance()) => {
      const endings = instance.request();
      await pass(milliseconds);
      return endings[0];
    };
    return { ...slowWorld, ask };
  }
  const older = (ageSeconds: number) => ({
    ...{ kind: 'ok', body: 'page 1', from: 'upstream' },
    cached: { ageSeconds, insteadOf: 'slow' },
  });

  it('an older answer is reported after a second, and the new answer as soon as it arrives', async () => {
    const { ask, asked } = await slow(6 * SECOND);

    const first = await ask(7 * SECOND);
    const next = await ask(SECOND);

    expect(first?.answer).toEqual(older(75));
    expect(first?.after).toBeLessThan(1.1 * SECOND);
    expect(next?.answer).toMatchObject({ body: 'page 2' });
    expect(asked).toHaveLength(2);
  });

  it('a later caller with the same request waits no longer than the first, even if the first died', async () => {
    const { anInstance, asked, pass } = await slow(6 * SECOND);
    anInstance({ diesAfter: 2 }).request();
    await pass(10);

    const requests: (readonly Ending[])[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      requests.push(anInstance().request());
      await pass(SECOND / 2);
    }
    await pass(SECOND);

    const ends = requests.flat();
    expect(ends).toHaveLength(20);
    for (const { answer, after } of ends) {
      expect(answer).toMatchObject({ body: 'page 1', cached: { insteadOf: 'slow' } });
      expect(after).toBeLessThan(1.2 * SECOND);
    }
    expect(asked).toHaveLength(1);
  });

  it('a refusal that arrives after an older answer was reported is not stored', async () => {
    const { ask, asked, upstream } = await slow(8 * SECOND);
    upstream.outcome = () => ({ kind: 'failed', reason: 'timeout' });
    const first = await ask(12 * SECOND);
    upstream.takes = UPSTREAM_TAKES;
    upstream.outcome = () => ({ kind: 'ok', body: 'page 2' });

    const next = await ask(SECOND);

    expect(first?.answer).toEqual(older(75));
    expect(next?.answer).toEqual({ kind: 'ok', body: 'page 2', from: 'upstream' });
    expect(asked).toHaveLength(3);
  });

  it('if instances freeze during calls, callers get an older answer until one caller waits for its own call', async () => {
    const { anInstance, ask, asked } = await slow(3 * SECOND);

    const endings: (Ending | undefined)[] = [];
    for (let minute = 0; minute < 9; minute += 1) {
      endings.push(await ask(MINUTE, anInstance({ diesAfter: 'ask' })));
    }
    const patient = await ask(MINUTE);

    for (const ending of endings) {
      expect(ending?.answer).toMatchObject({ body: 'page 1' });
      expect(ending?.after).toBeLessThan(1.1 * SECOND);
    }
    expect(patient?.after).toBeGreaterThan(3 * SECOND);
    expect(patient?.answer).toMatchObject({ body: `page ${asked.length}` });
  });

  it('during an outage only one caller in ten minutes waits for a call to end', async () => {
    const { ask, upstream } = await slow(8 * SECOND);
    upstream.outcome = () => ({ kind: 'failed', reason: 'timeout' });

    const waits: number[] = [];
    for (let turn = 0; turn < 90; turn += 1) waits.push((await ask(20 * SECOND))?.after ?? -1);

    expect(waits.filter((wait) => wait > 1.1 * SECOND)).toHaveLength(3);
    expect(Math.min(...waits)).toBeGreaterThan(0);
  });

  it('a failure after an older answer was reported is logged', async () => {
    const { ask, reports, upstream } = await slow(6 * SECOND);
    upstream.outcome = () => {
      throw new Error('no table');
    };

    const { answer } = (await ask(7 * SECOND)) ?? {};

    expect(answer).toEqual(older(75));
    expect(reports).toEqual(['refresh_failed']);
  });
});

describe('a failure of the calling instance', () => {
  const CALLS = ['get', 'put', 'ask', 'put'];

  it.each(CALLS.map((name, index) => ({ name, call: index + 1 })))(
    'if a caller dies after call $call ($name), waiting callers receive an answer in time, with at most one more call',
    async ({ call }) => {
      const { anInstance, asked, pass } = world();
      const dying = anInstance({ diesAfter: call });

      const lost = dying.request();
      await pass(7);
      const waiting = Array.from({ length: 5 }, () => anInstance().request());
      await pass(TIMEOUT);

      expect(dying.calls).toEqual(CALLS.slice(0, call));
      expect(lost).toEqual([]);
      expect(asked.length).toBeLessThanOrEqual(2);
      for (const [ending] of waiting) {
        expect(ending?.answer).toMatchObject({ kind: 'ok' });
        expect(ending?.after).toBeLessThan(TIMEOUT);
      }
    },
  );

  it('a waiting caller receives an answer or a failure in time, even from an extremely slow upstream', async () => {
    const { anInstance, pass, upstream } = world();
    upstream.takes = 10 * SECOND;

    const requests: (readonly Ending[])[] = [];
    for (let turn = 0; turn < 60; turn += 1) {
      requests.push(anInstance({ ...(turn % 3 === 0 ? { diesAfter: 3 } : {}) }).request());
      await pass(SECOND / 2);
    }
    await pass(TIMEOUT);

    const ends = requests.flat();
    expect(ends.length).toBeGreaterThanOrEqual(40);
    for (const { answer, after } of ends) {
      expect(after).toBeLessThan(TIMEOUT);
      expect(['ok', 'failed']).toContain(answer?.kind);
    }
  });

  it('a caller whose two predecessors died gives up while there is time to answer', async () => {
    const { anInstance, pass } = world();
    anInstance({ diesAfter: 'ask' }).request();
    await pass(10);
    anInstance({ diesAfter: 'ask' }).request();
    await pass(10);

    const waiting = anInstance().request();
    await pass(2 * TIMEOUT);

    expect(waiting).toMatchObject([{ answer: { kind: 'failed', reason: 'timeout' } }]);
    expect(waiting[0]?.after).toBeLessThan(TIMEOUT - 10 * SECOND);
  });

  it('if two callers start at the same time, only one calls the upstream', async () => {
    const { anInstance, asked, pass } = world();
    const [one, other] = [anInstance(), anInstance()];

    const endings = [one.request(), other.request()];
    await pass(TIMEOUT);

    expect(asked).toHaveLength(1);
    expect(one.calls.slice(0, 2)).toEqual(['get', 'put']);
    expect(other.calls.slice(0, 2)).toEqual(['get', 'put']);
    expect(endings.flat().map(({ answer }) => answer?.kind)).toEqual(['ok', 'ok']);
  });

  it.each([
    { lost: 'nothing was written', writes: false },
    { lost: 'the record was written nevertheless', writes: true },
  ])('callers receive an answer even if storing it fails and $lost', async ({ writes }) => {
    const { anInstance, asked, pass, store, reports } = world();
    let puts = 0;
    const instance = anInstance({
      put: async (id, known) => {
        puts += 1;
        if (puts !== 2) return await store.put(id, known);
        if (writes) await store.put(id, known);
        throw new Error('the table is away');
      },
    });

    const [first, waiting] = [instance.request(), anInstance().request()];
    await pass(TIMEOUT);
    const again = instance.request();
    await pass(TIMEOUT);

    expect(first[0]?.answer).toMatchObject({ kind: 'ok', body: 'page 1' });
    expect(waiting[0]?.answer).toMatchObject({ kind: 'ok', body: writes ? 'page 1' : 'page 2' });
    expect(again[0]?.answer).toMatchObject({ kind: 'ok' });
    expect(asked).toHaveLength(writes ? 1 : 2);
    expect(reports).toEqual(['answer_not_kept']);
  });

  it('a late answer does not overwrite a newer one', async () => {
    const { anInstance, pass, answered, upstream, store, table } = world();
    upstream.takes = 12 * SECOND;
    const late = anInstance().request();
    await pass(11.5 * SECOND);
    upstream.takes = 10;

    const meanwhile = await answered();

    expect(late[0]?.answer).toMatchObject({ body: 'page 2' });
    expect(meanwhile).toMatchObject({ body: 'page 2' });
    const [item] = table.items();
    const known = await store.get(`${item?.pk}`.replace('ANSWER#', ''));
    expect(known?.good?.at).toBeLessThan(NOON + 12 * SECOND);
  });
});
