import { describe, expect, it } from 'vitest';
import { composeActOnAlert } from '#functions/act-on-alert/compose.ts';
import type { ActOnAlertPorts } from '#functions/act-on-alert/ports.ts';
import { actOnAlert } from '#functions/act-on-alert/routes.ts';
import { createMemoryTable } from '#infra/local/memory-table.ts';
import { actorInWords } from '#shared/domain/access/actor.ts';
import { alertId, type RuleAlert } from '#shared/domain/alerting/alert.ts';
import { AlertAction, actionToken, LINKED_ACTIONS } from '#shared/domain/alerting/alert-action.ts';
import { openChartToken } from '#shared/domain/charts/chart-token.ts';
import type { Watch } from '#shared/domain/evaluation/watch.ts';
import { DAY, HOUR } from '#shared/domain/market/instant.ts';
import type { Outgoing } from '#shared/domain/messages/outgoing.ts';
import { omit } from '#shared/domain/omit.ts';
import { noContactPoints } from '#shared/domain/watchlists/contact-points.ts';
import type { JobId } from '#shared/domain/watchlists/job.ts';
import { createAcknowledgementStore } from '#shared/stores/acknowledgement-store.ts';
import { createAlertStore } from '#shared/stores/alert-store.ts';
import { createChangeStore } from '#shared/stores/change-store.ts';
import { createMuteStore } from '#shared/stores/mute-store.ts';
import { createWatchStore } from '#shared/stores/watch-store.ts';
import { createWatchlistStore } from '#shared/stores/watchlist-store.ts';
import {
  anAlert,
  anHttpRequest,
  aPostedAlert,
  aWatch,
  aWatchlist,
  NOON,
  PUNKS,
} from '#test/support/builders.ts';
import { anOutside } from '#test/support/outside.ts';
import { puttingInto } from '#test/support/putting.ts';

const KEY = 'the key of links';
const LIST = { tenant: 'acme', id: 'punks' };
const SLACK = { id: 'desk', kind: 'slack', url: { hash: 'h', sealed: 's' } } as const;
const firing = { state: 'firing', firedAt: NOON, episode: 1 } as const;

/** The function with a table that holds an open episode, and the link in the alert about it. */
async function aFunction(alerted: Partial<RuleAlert> = {}, watched: Partial<Watch> = {}) {
  const table = createMemoryTable();
  const state = { now: NOON + HOUR };
  const sent: Outgoing<JobId>[] = [];
  const given = omit(watched, 'ruleCondition', 'presentation');
  const watch = aWatch({ ...firing, ...given, version: 0 });
  await createWatchStore(table).put(watch);
  const id = alertId(aWatch(), 1, 1);
  const alert = anAlert({ id, episode: 1, generation: 1, ...alerted });
  await createAlertStore(table).post(aPostedAlert(alert, []));
  const lists = createWatchlistStore(table);
  const list = aWatchlist({ channels: [SLACK] });
  await lists.put(list);
  const composed = composeActOnAlert(anOutside({ table: () => table, now: () => state.now }));
  const ports: ActOnAlertPorts = {
    ...composed.ports,
    readKey: async () => KEY,
    sendToLists: async (messages) => void sent.push(...messages),
  };
  const tokenFor = (channel?: string) => actionToken(KEY, { ...alert, channel }) ?? '';
  const ask = async (
    method: 'GET' | 'POST',
    action: string | undefined,
    { body, token = tokenFor('desk') }: { body?: string; token?: string } = {},
  ) => {
    const request = anHttpRequest(`${method} /v1/actions/{action}`, {
      path: { action: token },
      ...(action === undefined ? {} : { query: { do: action } }),
    });
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return await actOnAlert(ports, { ...request, headers: type, body: body ?? null });
  };
  return {
    ...{ table, state, sent, ask, tokenFor, watch, list, lists },
    watches: createWatchStore(table),
    acknowledgement: () => createAcknowledgementStore(table).get(watch),
    mutes: async () => (await createMuteStore(table).get(LIST)).mutes,
    changes: async () =>
      (await createChangeStore(table).ofTenant('acme', NOON, 99, undefined)).entries,
  };
}

describe('opening a link', () => {
  it.each([...AlertAction.options, undefined])(
    'opening a link changes nothing: %s',
    async (action) => {
      const { ask, table } = await aFunction();
      const before = table.items();

      const { statusCode } = await ask('GET', action);

      expect(statusCode).toBe(200);
      expect(table.items()).toEqual(before);
    },
  );

  it('opening a link shows the alert and the effect of the action, with one button', async () => {
    const { ask } = await aFunction();

    const { body } = await ask('GET', 'snooze-4h');

    expect(body).toContain('<h1>Snooze 4 h?</h1>');
    expect(body).toContain('CryptoPunks below 60 ETH: 59.9 ETH');
    expect(body).toContain(
      'Until 2026-11-21 17:00 UTC, no alerts from this rule about this collection are sent',
    );
    expect(body).toContain('Nobody has acknowledged this alert yet.');
    expect(body).toContain('<form method="post" action="?do=snooze-4h">');
    expect(body).toContain('<label for="name">');
    expect(body.match(/<button>/g)).toHaveLength(1);
  });

  it('the page of a link runs no script, loads nothing, sends no referrer, and refuses frames', async () => {
    const { ask } = await aFunction();

    const { headers, body } = await ask('GET', 'acknowledge');

    expect(headers).toMatchObject({
      'Cache-Control': 'no-store',
      'Content-Type': 'text/html; charset=utf-8',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
      'X-Robots-Tag': 'noindex, nofollow',
    });
    expect(headers?.['Content-Security-Policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self';/,
    );
    expect(headers?.['Content-Security-Policy']).toContain("; img-src 'self';");
    expect(body).not.toMatch(
      /<script|<img src="(?!\.\.\/charts\/)|<link|https?:|javascript:|\son\w+=/,
    );
  });

  it('the page of a link escapes HTML in texts that users wrote', async () => {
    const { ask } = await aFunction({ title: '<img src=x onerror="alert(1)"> & more' });

    const { body } = await ask('GET', 'acknowledge');

    expect(body).not.toContain('<img src=x');
    expect(body).toContain('&#60;img src=x onerror=&#34;alert(1)&#34;&#62; &#38; more');
  });
});

describe('a link that is opened again after its button was pressed', () => {
  it.each([
    { body: 'name=Ada', who: 'by Ada via Slack #desk' },
    { body: 'name=', who: 'via Slack #desk' },
  ])(
    'a link that is opened again shows the acknowledgement ($who) with its time, and no button',
    async (given) => {
      const { ask, state } = await aFunction();
      await ask('POST', 'acknowledge', { body: given.body });
      state.now += HOUR;

      const { statusCode, body } = await ask('GET', undefined);

      expect(statusCode).toBe(200);
      expect(body).toContain('<h1>Already acknowledged</h1>');
      expect(body).toContain(`<p>Acknowledged ${given.who} at 2026-11-21 13:00 UTC, 1 h ago.</p>`);
      expect(body).not.toContain('<form');
      expect(body).not.toContain('?do=acknowledge');
      expect(body).toContain('<a href="?do=snooze-1h">');
    },
  );

  it('a link that is opened again shows that the episode is snoozed, and offers to resume', async () => {
    const { ask } = await aFunction();
    await ask('POST', 'snooze-until-recovered');

    const { body } = await ask('GET', 'snooze-until-recovered');

    expect(body).toContain('<h1>Already snoozed</h1>');
    expect(body).not.toContain('<form');
    expect(body).toContain('<a href="?do=resume">');
  });
});

it.each([
  { when: 'before a press', watched: {}, press: false },
  { when: 'after a press', watched: {}, press: true },
  { when: 'after the end of the episode', watched: { state: 'ok' as const }, press: false },
])('the page of a link has the chart and a link to the console, $when', async (given) => {
  const { ask } = await aFunction({}, given.watched);
  if (given.press) await ask('POST', 'acknowledge');

  const { body } = await ask('GET', 'acknowledge');
  const [, token = ''] = /<img src="\.\.\/charts\/(.*?)\.png"/.exec(body) ?? [];

  expect(openChartToken(KEY, token, NOON)).toMatchObject({
    ...{ kind: 'opened', content: { contract: PUNKS, value: '59.9 ETH' } },
  });
  expect(body).toContain(`<a href="../../app#/collections/${encodeURIComponent(PUNKS)}">`);
});

it('the audit log names the channel of a used link with its service, or by its id alone if the channel was deleted', async () => {
  const { ask, list, lists, tokenFor, changes, state } = await aFunction();
  const office = { id: 'office', kind: 'email', to: 'office@example.com' } as const;
  await lists.put({ ...noContactPoints('acme'), revision: 1, channels: [office] });
  await lists.put({ ...list, revision: 2, contactPoints: ['office'] });

  await ask('POST', 'acknowledge', { token: tokenFor('office') });
  state.now += 1000;
  await ask('POST', 'snooze-1h', { token: tokenFor('gone') });

  expect((await changes()).map(({ by }) => actorInWords(by))).toEqual([
    'via channel gone',
    'via email office',
  ]);
});

describe('pressing the button of a link', () => {
  it('pressing acknowledge silences reminders until the end of the episode', async () => {
    const { ask, acknowledgement, mutes } = await aFunction();

    const { statusCode, body } = await ask('POST', 'acknowledge', { body: 'name=Ada+L.' });

    expect(statusCode).toBe(200);
    expect(await acknowledgement()).toMatchObject({
      ...{
        at: NOON + HOUR,
        silences: 'reminders',
        by: { id: 'link:desk', name: 'Ada L.', via: 'Slack #desk' },
      },
    });
    expect(body).toContain(
      'Acknowledged by Ada L. via Slack #desk at 2026-11-21 13:00 UTC, 0 s ago.',
    );
    expect(await mutes()).toEqual([]);
  });

  it('pressing snooze-until-recovered mutes only the episode, for ninety days at most', async () => {
    const { ask, acknowledgement, mutes, watch } = await aFunction();

    const { statusCode, body } = await ask('POST', 'snooze-until-recovered', { body: 'name=Ada' });

    expect(statusCode).toBe(200);
    expect(await mutes()).toEqual([
      {
        id: expect.stringMatching(/^snooze-until-recovered-[0-9a-f]{16}$/),
        by: { id: 'link:desk', name: 'Ada', via: 'Slack #desk' },
        ...{ from: NOON + HOUR, until: NOON + HOUR + 90 * DAY },
        ...{ rule: watch.rule, contract: PUNKS },
        episodes: [{ watch: watch.rule, name: alertId(watch, 1, 'episode-1') }],
      },
    ]);
    expect(body).toContain(
      'Nothing is sent until the rule recovers, or until 2027-02-19 13:00 UTC at the latest: snoozed by Ada',
    );
    expect(await acknowledgement()).toBeUndefined();
  });

  it('pressing snooze-tomorrow mutes until 9:00 of the next day in the time zone of the list', async () => {
    const { ask, lists, list, mutes, state } = await aFunction();
    await lists.put({ ...list, revision: 2, timeZone: 'Asia/Tokyo' });
    const asked = await ask('GET', 'snooze-tomorrow');

    await ask('POST', 'snooze-tomorrow');
    await ask('POST', 'snooze-tomorrow');
    const onOneDay = await mutes();
    // It is past midnight in Tokyo. The first snooze is still active, but it ends today, not
    // tomorrow.
    state.now = Date.parse('2026-11-21T15:30Z');
    await ask('POST', 'snooze-tomorrow');

    const ends = ['2026-11-22T00:00Z', '2026-11-23T00:00Z'].map(Date.parse);
    expect(asked.body).toContain('Until 2026-11-22 09:00 Tokyo time, no alerts from this rule');
    expect(onOneDay.map(({ until }) => until)).toEqual(ends.slice(0, 1));
    expect((await mutes()).map(({ until }) => until)).toEqual(ends);
  });

  it('the page of an action offers all other actions', async () => {
    const { ask } = await aFunction();

    const { body } = await ask('GET', 'snooze-1h');

    const offered = [...body.matchAll(/<a href="\?do=([\w-]+)">([^<]+)</g)];
    expect(offered.map(([, action, label]) => [action, label])).toEqual([
      ['acknowledge', 'Acknowledge'],
      ['snooze-4h', 'Snooze 4 h'],
      ['snooze-tomorrow', 'Snooze until tomorrow 9:00'],
      ['snooze-until-recovered', 'Snooze until recovered'],
    ]);
  });

  it.each([
    { action: 'snooze-1h', hours: 1 },
    { action: 'snooze-4h', hours: 4 },
  ])(
    'pressing $action mutes the rule on the contract, and nothing else',
    async ({ action, hours }) => {
      const { ask, acknowledgement, mutes, watch } = await aFunction();

      const { statusCode, body } = await ask('POST', action, { body: 'name=' });

      expect(statusCode).toBe(200);
      expect(await mutes()).toEqual([
        {
          id: expect.stringMatching(/^snooze-[14]h-[0-9a-f]{16}$/),
          by: { id: 'link:desk', name: '', via: 'Slack #desk' },
          ...{ from: NOON + HOUR, until: NOON + HOUR + hours * HOUR },
          ...{ rule: watch.rule, contract: PUNKS },
        },
      ]);
      expect(body).toContain('Nothing is sent until 2026-11-21');
      expect(await acknowledgement()).toBeUndefined();
    },
  );

  it.each([...LINKED_ACTIONS])('pressing %s a second time changes nothing', async (action) => {
    const { ask, table } = await aFunction();
    await ask('POST', action, { body: 'name=Ada' });
    const before = table.items();

    const { statusCode } = await ask('POST', action, { body: 'name=Bob' });

    expect(statusCode).toBe(200);
    expect(table.items()).toEqual(before);
  });

  it('acknowledging a snoozed episode leaves it snoozed', async () => {
    const { ask, acknowledgement, mutes } = await aFunction();
    await ask('POST', 'snooze-until-recovered');

    await ask('POST', 'acknowledge');

    expect(await acknowledgement()).toMatchObject({ silences: 'reminders' });
    expect(await mutes()).toHaveLength(1);
  });

  it('pressing resume lifts mutes and acknowledgements made by links, but no mute made with an API key', async () => {
    const { ask, table, state, mutes, acknowledgement, sent } = await aFunction();
    const own = { id: 'mute-1', by: undefined, from: NOON, until: NOON + DAY };
    await puttingInto(table).mutes({ list: LIST, version: 1, mutes: [own] });
    for (const action of AlertAction.options) {
      if (action !== 'resume') await ask('POST', action);
    }
    state.now += 1000;

    const { body } = await ask('POST', 'resume');

    expect(await mutes()).toEqual([own]);
    expect(await acknowledgement()).toMatchObject({ silences: 'reminders' });
    expect(sent.map(({ message }) => message.target.kind)).toEqual(Array(4).fill('mutes'));
    expect(body).toContain('New alerts are sent unless another mute holds them.');
  });

  it('the audit log records each press of a button, with the channel of the link and the name that the person gave', async () => {
    const { ask, changes, tokenFor } = await aFunction();

    await ask('POST', 'acknowledge', { body: 'name=Ada' });
    await ask('POST', 'snooze-1h', { token: tokenFor() });

    expect(await changes()).toMatchObject([
      { kind: 'mute_made', by: { id: 'link:*', name: '' } },
      { kind: 'alert_acknowledged', by: { id: 'link:desk', name: 'Ada' } },
    ]);
  });

  it.each([
    { what: 'a name that is too long', body: `name=${'x'.repeat(61)}`, code: 'invalid_request' },
    { what: 'an unknown field', body: 'name=Ada&by=Bob', code: 'invalid_request' },
    { what: 'a repeated field', body: 'name=Ada&name=Bob', code: 'invalid_request' },
    { what: 'a name of two lines', body: 'name=A%0AB', code: 'invalid_request' },
  ])('a press of the button with $what is refused', async ({ body, code }) => {
    const { ask, table } = await aFunction();
    const before = table.items();

    await expect(ask('POST', 'acknowledge', { body })).rejects.toMatchObject({ code });
    expect(table.items()).toEqual(before);
  });

  it('a press of the button is refused with 409 while the list has the maximum number of mutes', async () => {
    const { ask, table, mutes } = await aFunction();
    const full = Array.from({ length: 20 }, (_, index) => ({
      ...{ id: `mute-${index}`, by: undefined, from: NOON, until: NOON + DAY },
    }));
    await puttingInto(table).mutes({ list: LIST, version: 1, mutes: full });

    const { statusCode } = await ask('POST', 'snooze-1h');

    expect([statusCode, await mutes()]).toEqual([409, full]);
  });
});

it('a link of a no-data alert acts on the no-data watch, and mutes its rule', async () => {
  const name = 'floor-60~floor';
  const { ask, acknowledgement, mutes } = await aFunction(
    { id: alertId({ ...aWatch(), rule: name }, 1, 1), rule: 'floor-60', kind: 'stale' },
    { rule: name },
  );

  await ask('POST', 'acknowledge');
  await ask('POST', 'snooze-1h');

  expect(await acknowledgement()).toMatchObject({ rule: name });
  expect(await mutes()).toMatchObject([{ rule: 'floor-60', contract: PUNKS }]);
});

describe('a link that no longer works', () => {
  it.each([
    { what: 'has ended', watched: { state: 'ok' as const } },
    { what: 'was followed by another', watched: { episode: 2 } },
    { what: 'belongs to an earlier version of the rule', watched: { generation: 2 } },
  ])(
    'a link whose episode $what shows that the episode has ended, and does nothing',
    async ({ watched }) => {
      const { ask, table } = await aFunction({}, watched);
      const before = table.items();

      for (const action of AlertAction.options) {
        const [shown, pressed] = [await ask('GET', action), await ask('POST', action)];

        expect([shown.statusCode, pressed.statusCode]).toEqual([200, 409]);
        expect(shown.body).toContain('<h1>The episode has ended</h1>');
        expect(shown.body).not.toContain('<form');
      }
      expect(table.items()).toEqual(before);
    },
  );

  it.each([
    { what: 'with a wrong signature', change: (token: string) => `${token.slice(0, -4)}AAAA` },
    { what: 'without a token', change: () => '' },
    {
      what: 'signed with another key',
      change: () => actionToken('another', { ...anAlert(), channel: 'desk' }) ?? '',
    },
  ])('a link $what returns 404', async ({ change }) => {
    const { ask, table, tokenFor } = await aFunction();
    const before = table.items();
    const token = change(tokenFor('desk'));

    const answers = [
      await ask('GET', undefined, { token }),
      await ask('POST', undefined, { token }),
    ];

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
    expect(table.items()).toEqual(before);
  });

  it('a link works for seven days', async () => {
    const { ask, state, acknowledgement } = await aFunction();
    const endsAt = Date.parse(anAlert().at) + 7 * DAY;

    state.now = endsAt - 1;
    const last = await ask('GET', 'acknowledge');
    state.now = endsAt;
    const late = await ask('POST', 'acknowledge');

    expect([last.statusCode, late.statusCode]).toEqual([200, 410]);
    expect(await acknowledgement()).toBeUndefined();
  });
});
