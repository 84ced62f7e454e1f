import { describe, expect, it } from 'vitest';
import { CONTACT_POINTS } from '#shared/domain/watchlists/contact-points.ts';
import type { Table } from '#shared/stores/table.ts';
import { APES, aRuleBody, aWatchlistBody, PUNKS } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const DESK = { id: 'desk', kind: 'email', to: 'desk@example.com' };
const OWN = { id: 'own', kind: 'email', to: 'own@example.com' };
const at = (channel: string) => ({ path: { channel } });
const detailsOf = ({ body }: { readonly body: { errors?: readonly object[] } }) => body.errors;

async function withContactPoints(...ids: readonly string[]) {
  const made = world();
  for (const id of ids) await made.ask('POST /v1/channels', { body: { ...DESK, id } });
  return made;
}

describe('contact points', () => {
  it('contact points are created, replaced and deleted one at a time, with If-Match', async () => {
    const { ask, watchlists } = await withContactPoints();

    const made = await ask('POST /v1/channels', { body: DESK });
    const stale = await ask('PUT /v1/channels/{channel}', {
      ...{ ...at('desk'), headers: { 'If-Match': '"7"' } },
      body: { kind: 'email', to: 'new@example.com' },
    });
    const changed = await ask('PUT /v1/channels/{channel}', {
      ...{ ...at('desk'), headers: { 'If-Match': String(made.headers.ETag) } },
      body: { kind: 'email', to: 'new@example.com' },
    });
    const removed = await ask('DELETE /v1/channels/{channel}', { ...at('desk'), ...ANY });

    expect([made, stale, changed, removed].map(({ status }) => status)).toEqual([
      201, 412, 200, 204,
    ]);
    expect(made.headers.Location).toBe('/test/v1/channels/desk');
    expect(changed.body).toMatchObject({ channel: { to: 'new@example.com' }, revision: 2 });
    const list = await watchlists.get({ tenant: 'acme', id: CONTACT_POINTS });
    expect(list).toMatchObject({ revision: 3, channels: [] });
  });

  it('a dry run of a contact point is checked like a PUT, and writes nothing', async () => {
    const { ask } = await withContactPoints('desk');
    const tried = async (channel: string, body: object, headers = {}) =>
      await ask('PUT /v1/channels/{channel}', {
        ...{ ...at(channel), query: { dryRun: 'true' }, body, headers },
      });

    const changed = await tried('desk', { kind: 'email', to: 'new@example.com' });
    const added = await tried('pager', { kind: 'email', to: 'pager@example.com' });
    const same = await tried('desk', DESK);
    const refused = await tried('desk', { kind: 'email', to: 'nobody' });
    const stale = await tried('desk', DESK, { 'If-Match': '"7"' });

    expect(changed.body).toEqual({
      revision: 1,
      differences: [
        {
          ...{ part: 'channel', name: 'desk', how: 'changed' },
          members: [{ member: 'to', before: 'desk@example.com', after: 'new@example.com' }],
        },
      ],
    });
    expect(added.body).toMatchObject({
      revision: null,
      differences: [{ name: 'pager', how: 'added' }],
    });
    expect(same.body).toEqual({ revision: 1, differences: [] });
    expect(detailsOf(refused)).toMatchObject([{ pointer: '/to' }]);
    expect([added, refused, stale].map(({ status }) => status)).toEqual([200, 400, 412]);
    expect((await ask('GET /v1/changes')).body.changes).toHaveLength(1);
  });

  it('contact points do not appear as a watchlist in lists, usage or paths', async () => {
    const { ask } = await withContactPoints('desk');

    expect((await ask('GET')).body.watchlists).toEqual([]);
    expect((await ask('GET /v1/usage')).body.watchlists.used).toBe(0);
    for (const request of ['GET ~', 'GET ~/rules', 'DELETE ~', 'GET ~/export']) {
      expect((await ask(request, ANY)).status).toBe(404);
    }
    const refused = await ask('PUT ~', { body: aWatchlistBody() });
    expect(refused.status).toBe(400);
  });

  it('changes of contact points are in the audit log, without a watchlist', async () => {
    const { ask } = await withContactPoints('desk');

    const { body } = await ask('GET /v1/changes');

    expect(body.changes).toMatchObject([
      { watchlist: null, kind: 'contact_points_changed', edit: { channels: { added: ['desk'] } } },
    ]);
  });
});

describe('a list', () => {
  it('a list uses contact points together with its own channels, and is exported with their names', async () => {
    const { ask } = await withContactPoints('desk', 'pager');
    const channels = ['pager', 'desk', OWN];

    const made = await ask('POST', { body: aWatchlistBody({ channels }) });
    const exported = await ask('GET punks/export');

    expect(made.body.channels).toEqual(channels);
    expect(exported.body.channels).toEqual(channels);
    const repeated = await ask('PUT punks', { ...ANY, body: { ...exported.body } });
    expect(repeated.body.revision).toBe(1);
  });

  it.each([
    ['dask', 'there is no contact point "dask"; did you mean "desk"?'],
    ['elsewhere', 'there is no contact point "elsewhere"; expected one of "desk", "pager"'],
  ])('a list is refused with the contact point "%s": %s', async (name, detail) => {
    const { ask } = await withContactPoints('desk', 'pager');

    const refused = await ask('POST', { body: aWatchlistBody({ channels: [OWN, name] }) });
    const dry = await ask('PUT punks', {
      ...{ query: { dryRun: 'true' } },
      body: aWatchlistBody({ channels: [OWN, name] }),
    });

    expect(detailsOf(refused)).toEqual([{ pointer: '/channels/1', detail }]);
    expect(detailsOf(dry)).toEqual(detailsOf(refused));
  });

  it('a contact point is added to a list and removed from it through the channels endpoint of the list', async () => {
    const { ask } = await withContactPoints('desk');
    await ask('POST', { body: aWatchlistBody({ channels: [OWN] }) });

    const taken = await ask('POST punks/channels', { body: JSON.stringify('desk') });
    const unknown = await ask('POST punks/channels', { body: JSON.stringify('dest') });
    const used = (await ask('GET punks')).body.channels;
    const left = await ask('DELETE punks/channels/{channel}', {
      path: { watchlist: 'punks', channel: 'desk' },
      ...ANY,
    });

    expect([taken.status, unknown.status, left.status]).toEqual([201, 400, 204]);
    expect(taken.body.channel).toBe('desk');
    expect(detailsOf(unknown)).toEqual([
      { pointer: '', detail: 'there is no contact point "dest"; did you mean "desk"?' },
    ]);
    expect(used).toEqual(['desk', OWN]);
    expect((await ask('GET punks')).body.channels).toEqual([OWN]);
  });

  it.each([
    [{ rules: [aRuleBody({ notify: ['dask'] })] }, '/rules/0/notify/0', 'did you mean "desk"?'],
    [{ rules: [aRuleBody({ notify: [] })] }, '/rules/0/notify', 'pause or mute the rule'],
    [
      { rules: [aRuleBody({ notify: ['own', 'own'] })] },
      '/rules/0/notify/1',
      'each channel at most once',
    ],
    [{ notify: { info: ['nobody'] } }, '/notify/info/0', 'expected one of "desk", "own"'],
    [{ channels: ['desk', DESK] }, '/channels/1/id', 'no other channel of the list'],
  ])('a list is refused with %j at %s', async (given, pointer, detail) => {
    const { ask } = await withContactPoints('desk');

    const refused = await ask('POST', {
      body: aWatchlistBody({ channels: ['desk', OWN], ...given }),
    });

    expect(detailsOf(refused)).toEqual([{ pointer, detail: expect.stringContaining(detail) }]);
  });

  it('a channel that a rule or severity of the list notifies cannot be removed from the list', async () => {
    const { ask } = await withContactPoints('desk');
    const rules = [aRuleBody({ notify: ['desk'] })];
    const notify = { info: ['own'] };
    await ask('POST', { body: aWatchlistBody({ channels: ['desk', OWN], rules, notify }) });
    const remove = (channel: string) =>
      ask('DELETE punks/channels/{channel}', { path: { watchlist: 'punks', channel }, ...ANY });

    const [desk, own] = [await remove('desk'), await remove('own')];

    expect([desk.status, own.status]).toEqual([409, 409]);
    expect(desk.body.detail).toContain('the rule "floor-60" notifies this channel');
    expect(own.body.detail).toContain('notifies this channel of info alerts');
  });

  it('a rule may be on several contracts of its list, but on no others', async () => {
    const { ask } = world();
    const body = (on: unknown) =>
      aWatchlistBody({ contracts: [PUNKS, APES], rules: [aRuleBody({ on })] });

    const made = await ask('POST', { body: body([APES, PUNKS]) });
    const same = await ask('PUT punks', { ...ANY, body: body([PUNKS, APES]) });
    const fewer = await ask('PUT punks', { ...ANY, body: body([APES]) });
    const stranger = await ask('PUT punks', {
      ...ANY,
      body: body([APES, `eth:0x${'1'.repeat(40)}`]),
    });
    const twice = await ask('PUT punks', { ...ANY, body: body([APES, APES]) });
    const inUse = await ask('DELETE punks/contracts/{contract}', {
      path: { watchlist: 'punks', contract: APES },
      ...ANY,
    });

    expect(made.body.forecast.watches).toHaveLength(2);
    expect(same.body.restarted).toEqual([]);
    expect(fewer.body.restarted).toEqual(['floor-60']);
    expect(detailsOf(stranger)).toMatchObject([{ pointer: '/rules/0/on/1' }]);
    expect(detailsOf(twice)).toMatchObject([{ pointer: '/rules/0/on/1' }]);
    expect(inUse.body.detail).toContain('the rule "floor-60" applies to this contract');
  });
});

describe('a contact point that lists use', () => {
  it('a contact point in use cannot be deleted, and the error names up to five of its lists', async () => {
    const { ask } = await withContactPoints('desk');
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await ask('POST', { body: aWatchlistBody({ id, channels: ['desk'] }) });
    }

    const { status, body } = await ask('DELETE /v1/channels/{channel}', { ...at('desk'), ...ANY });

    expect(status).toBe(409);
    expect(body).toMatchObject({
      type: 'urn:floorwatch:problem:in_use',
      detail: expect.stringContaining('"a", "b", "c", "d", "e" and 1 more'),
    });
  });

  it('a contact point can be deleted once no list uses it, and used again once it is recreated', async () => {
    const { ask } = await withContactPoints('desk');
    await ask('POST', { body: aWatchlistBody({ channels: ['desk'] }) });
    await ask('PUT punks', { ...ANY, body: aWatchlistBody() });

    const deleted = await ask('DELETE /v1/channels/{channel}', { ...at('desk'), ...ANY });
    await ask('POST /v1/channels', { body: DESK });
    const used = await ask('PUT punks', { ...ANY, body: aWatchlistBody({ channels: ['desk'] }) });

    expect([deleted.status, used.status]).toEqual([204, 200]);
  });

  it('if a contact point is used and deleted concurrently, one of the two requests is refused', async () => {
    // Each run executes the whole second request just before a different write of the first one.
    const attempts = Array.from({ length: 8 }, (_, write) => write);
    for (const first of ['use', 'deletion'] as const) {
      for (const write of attempts) {
        let writes = -1;
        let between = async () => {};
        const beforeWrite = async () => {
          writes += 1;
          if (writes === write) await between();
        };
        const made = world({}, (table: Table) => ({
          ...table,
          put: async (...args) => {
            await beforeWrite();
            await table.put(...args);
          },
          transact: async (...args) => {
            await beforeWrite();
            await table.transact(...args);
          },
        }));
        await made.ask('POST /v1/channels', { body: DESK });
        await made.ask('POST', { body: aWatchlistBody() });
        const use = () =>
          made.ask('PUT punks', { ...ANY, body: aWatchlistBody({ channels: ['desk'] }) });
        const deletion = () => made.ask('DELETE /v1/channels/{channel}', { ...at('desk'), ...ANY });
        const requests = first === 'use' ? [use, deletion] : [deletion, use];
        writes = -1;
        between = async () => {
          between = async () => {};
          await requests[1]?.();
        };

        await requests[0]?.();

        const points = await made.watchlists.get({ tenant: 'acme', id: CONTACT_POINTS });
        const list = await made.watchlists.get({ tenant: 'acme', id: 'punks' });
        const known = points?.channels.map(({ id }) => id) ?? [];
        expect({
          first,
          write,
          missing: list?.contactPoints.filter((id) => !known.includes(id)),
        }).toEqual({ first, write, missing: [] });
      }
    }
  });
});
