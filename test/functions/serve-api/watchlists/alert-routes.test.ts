import { describe, expect, it } from 'vitest';
import { alertId, type RuleAlert } from '#shared/domain/alerting/alert.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import { formatInstant } from '#shared/domain/market/instant.ts';
import { omit } from '#shared/domain/omit.ts';
import type { Change } from '#shared/domain/watchlists/change.ts';
import { anAlert, aPostedAlert, aWatch, aWatchlistBody, NOON } from '#test/support/builders.ts';
import { world } from './world.ts';

/** The first alert of the watch that `aWatch` creates. */
const ofWatch = (given: Partial<RuleAlert> = {}) =>
  anAlert({ id: alertId(aWatch(), 1, 1), ...given });
const { at, id } = ofWatch();
const KEY = `${at}~${id}`;
const named = (alert: string) => ({ path: { watchlist: 'punks', alert } });
const acknowledge = 'POST punks/alerts/{alert}/acknowledge';

/** A list with one alert, whose episode is open by default. */
async function withAlert(alert: Partial<RuleAlert> = {}, watch: Partial<Watch> = {}) {
  const made = world();
  await made.ask('POST', { body: aWatchlistBody() });
  await made.alerts.post(aPostedAlert(ofWatch(alert), []));
  const given = omit(watch, 'ruleCondition', 'presentation');
  await made.watches.put(aWatch({ state: 'firing', episode: 1, ...given, version: 0 }));
  return made;
}

describe('an alert', () => {
  it('an alert is found at its own `self` link', async () => {
    const { ask } = await withAlert();

    const listed = (await ask('GET punks/alerts')).body.alerts[0];
    const { status, body } = await ask('GET punks/alerts/{alert}', named(KEY));

    expect(listed.self).toBe(`/test/v1/watchlists/punks/alerts/${KEY}`);
    expect([status, body]).toEqual([200, listed]);
  });

  it.each([
    '',
    KEY.replace('~', ''),
    `${at}~other`,
    `~${id}`,
    `${at}~`,
    `${at}~${'x'.repeat(300)}`,
  ])('no alert is found by the malformed name "%s"', async (key) => {
    const { ask } = await withAlert();

    const answers = [
      await ask('GET punks/alerts/{alert}', named(key)),
      await ask(acknowledge, named(key)),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });

  it('an alert of another tenant is not found', async () => {
    const { ask } = await withAlert();

    const about = { ...named(KEY), tenant: 'umbrella' };

    expect((await ask('GET punks/alerts/{alert}', about)).status).toBe(404);
    expect((await ask(acknowledge, about)).status).toBe(404);
  });
});

describe('acknowledging an alert', () => {
  it('acknowledging again without a note keeps the earlier note', async () => {
    const { ask } = await withAlert();
    await ask(acknowledge, { ...named(KEY), body: { note: 'Ours' } });

    const { body } = await ask(acknowledge, named(KEY));

    expect(body.acknowledged.note).toBe('Ours');
  });

  it('acknowledging again with the same body changes nothing, and is logged once', async () => {
    const { ask } = await withAlert();
    const first = await ask(acknowledge, { ...named(KEY), body: { silences: 'worsening' } });

    const again = await ask(acknowledge, named(KEY));

    const { body: auditLog } = await ask('GET /v1/changes');
    expect(again.body).toEqual(first.body);
    expect(auditLog.changes).toHaveLength(2);
  });

  it('an acknowledgement repeated with the same Idempotency-Key is stored and logged once', async () => {
    const { ask } = await withAlert();
    const about = { ...named(KEY), headers: { 'Idempotency-Key': '"once"' } };

    const [first, again] = [await ask(acknowledge, about), await ask(acknowledge, about)];

    const { body: auditLog } = await ask('GET /v1/changes');
    expect(again).toEqual(first);
    expect(auditLog.changes.map(({ kind }: Change) => kind)).toEqual([
      'alert_acknowledged',
      'watchlist_created',
    ]);
  });

  it('the audit log names an acknowledged alert by the id in its path', async () => {
    const { ask } = await withAlert();
    const { body } = await ask(acknowledge, named(KEY));

    const { body: auditLog } = await ask('GET /v1/changes');

    const [{ kind, subject }] = auditLog.changes;
    expect([kind, body.self]).toEqual([
      'alert_acknowledged',
      expect.stringMatching(`/alerts/${subject}$`),
    ]);
  });

  it.each([
    { body: undefined, said: { silences: 'reminders', note: null } },
    { body: {}, said: { silences: 'reminders', note: null } },
    { body: { note: 'Ours, we buy' }, said: { silences: 'reminders', note: 'Ours, we buy' } },
    { body: { silences: 'worsening' }, said: { silences: 'worsening', note: null } },
  ])(
    'an acknowledgement with the body $body appears in the alert and in its watch',
    async ({ body, said }) => {
      const { ask } = await withAlert();

      const answer = await ask(acknowledge, { ...named(KEY), body });

      const by = { key: expect.any(String), name: expect.any(String), via: null };
      const acknowledged = { at: formatInstant(NOON), by, ...said };
      expect([answer.status, answer.body.acknowledged]).toEqual([200, acknowledged]);
      expect((await ask('GET punks/alerts/{alert}', named(KEY))).body).toEqual(answer.body);
      expect((await ask('GET punks/alerts')).body.alerts[0]).toEqual(answer.body);
      expect((await ask('GET punks/watches')).body.watches[0].acknowledged).toEqual(acknowledged);
    },
  );

  it.each<readonly [what: string, alert: Partial<RuleAlert>, watch: Partial<Watch>]>([
    ['a crossing', { episode: null }, {}],
    ['another watch', { id: alertId(aWatch({ rule: 'other' }), 1, 1) }, {}],
    ['an episode that is over', {}, { state: 'ok' }],
    ['an earlier episode', {}, { episode: 2 }],
    ['an earlier condition of the rule', {}, { generation: 2 }],
    ['a rule that was removed', { rule: 'other' }, {}],
  ])('an acknowledgement is refused for %s', async (_what, alert, watch) => {
    const { ask, acknowledgements } = await withAlert(alert, watch);

    const { status, body } = await ask(acknowledge, named(`${at}~${alert.id ?? id}`));

    expect([status, body.type]).toEqual([409, 'urn:floorwatch:problem:episode_over']);
    const { entries } = await acknowledgements.ofList({ tenant: 'acme', id: 'punks' });
    expect(entries).toEqual([]);
  });

  it.each([
    { given: { body: { note: 1 } }, status: 400 },
    { given: { body: { by: 'me' } }, status: 400 },
    { given: { body: { silences: 'all' } }, status: 400 },
    { given: { body: '{' }, status: 400 },
    { given: { scopes: 'read' }, status: 403 },
  ])(
    'an invalid acknowledgement is refused with $status and writes nothing: $given',
    async ({ given, status }) => {
      const { ask, table } = await withAlert();
      const before = table.items();

      const answer = await ask(acknowledge, { ...named(KEY), ...given });

      expect(answer.status).toBe(status);
      expect(table.items()).toEqual(before);
    },
  );
});

it('the acknowledgement of an earlier episode does not appear in the next one', async () => {
  const { ask, watches } = await withAlert();
  await ask(acknowledge, named(KEY));
  const watch = await watches.get(aWatch());
  if (watch !== undefined) await watches.put({ ...watch, episode: 2 });

  expect((await ask('GET punks/watches')).body.watches[0].acknowledged).toBeNull();
});
