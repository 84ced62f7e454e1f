import { describe, expect, it } from 'vitest';
import { APES, aRuleBody, PUNKS } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const CHAT = {
  id: 'chat',
  kind: 'slack',
  url: 'https://hooks.slack.com/services/T000/B000/s3cret',
};
const LIST = {
  name: 'Punks',
  contracts: [PUNKS],
  rules: [aRuleBody({ id: 'low' })],
  channels: [CHAT],
};
const LATER = {
  ...LIST,
  name: 'More',
  contracts: [PUNKS, { contract: APES, name: 'Apes' }],
  rules: [aRuleBody({ id: 'low', threshold: '55', label: 'Cheap' })],
};

type Asked = Pick<ReturnType<typeof world>, 'ask'>;

async function changesOf({ ask }: Asked): Promise<readonly { readonly id: string }[]> {
  const { body } = await ask('GET /v1/changes');
  return body.changes;
}

async function read({ ask }: Asked, change: string, tenant = 'acme') {
  return await ask('GET /v1/changes/{change}', { path: { change }, tenant });
}

/** A list that was created and changed, after which a third change was refused. */
async function changed() {
  const made = world();
  await made.ask('PUT punks', { body: LIST });
  await made.ask('PUT punks', { body: LATER, ...ANY });
  const [later, first] = await changesOf(made);
  return { ...made, later: later?.id ?? '', first: first?.id ?? '' };
}

describe('a change', () => {
  it('a change reports its differences member by member, and in words', async () => {
    const made = await changed();

    const { status, body } = await read(made, made.later);

    expect(status).toBe(200);
    expect(body).toMatchObject({ id: made.later, kind: 'watchlist_changed', revision: 2 });
    expect(body.differences).toEqual([
      {
        ...{ part: 'list', name: null, how: 'changed' },
        members: [{ member: 'name', before: 'Punks', after: 'More' }],
      },
      {
        ...{ part: 'contract', name: APES, how: 'added' },
        members: [{ member: 'name', before: null, after: 'Apes' }],
      },
      {
        ...{ part: 'rule', name: 'low', how: 'changed' },
        members: [
          { member: 'label', before: null, after: 'Cheap' },
          { member: 'threshold', before: '60', after: '55' },
        ],
      },
    ]);
  });

  it('a change contains the earlier list, and a PUT with this document restores the list and its secrets', async () => {
    const made = await changed();
    const before = (await made.ask('GET punks/export')).body;

    const { body } = await read(made, made.first);
    const restored = await made.ask('PUT punks', { body: body.document, ...ANY });
    const { body: log } = await made.ask('GET /v1/changes');

    expect(restored.status).toBe(200);
    expect((await made.ask('GET punks/export')).body).toEqual({ ...before, ...body.document });
    expect(restored.body.name).toBe('Punks');
    expect(restored.body.channels[0].url).toMatch(/^kept:/);
    expect(log.changes[0]).toMatchObject({ revision: 3, edit: { name: 'Punks' } });
  });

  it('a change contains no secrets, neither plain nor sealed', async () => {
    const made = await changed();

    const answers = [await read(made, made.first), await read(made, made.later)];
    const items = made.table.items().filter(({ pk }) => pk.startsWith('CHANGES#'));

    expect(JSON.stringify(answers)).not.toMatch(/s3cret|sealed/);
    expect(JSON.stringify(items)).not.toMatch(/s3cret|sealed/);
    expect(items.filter(({ sk }) => sk.startsWith('DOCUMENT#'))).toHaveLength(2);
  });

  it('the deletion of a list has no document, but lists the removed parts', async () => {
    const made = await changed();
    await made.ask('DELETE punks', ANY);
    const [gone] = await changesOf(made);

    const { body } = await read(made, gone?.id ?? '');

    expect(body).toMatchObject({ kind: 'watchlist_deleted', document: null });
    expect(
      body.differences.map(({ part, how, name }: Record<string, string>) => [part, name, how]),
    ).toEqual([
      ['list', null, 'removed'],
      ['contract', PUNKS, 'removed'],
      ['contract', APES, 'removed'],
      ['rule', 'low', 'removed'],
      ['channel', 'chat', 'removed'],
    ]);
  });

  it('a change without a list revision, such as a mute, has no document and no differences', async () => {
    const made = await changed();
    await made.ask('POST punks/mutes', { body: { for: '1h' } });
    const [muted] = await changesOf(made);

    const { body } = await read(made, muted?.id ?? '');

    expect(body).toMatchObject({ kind: 'mute_made', document: null, differences: null });
  });

  it('a request for a change of another tenant, or with an unknown name, returns 404', async () => {
    const made = await changed();
    const refused = world({
      ...made.ports,
      commitChange: () => Promise.reject(new Error('killed')),
    });
    const before = made.table.items();
    await refused.ask('PUT punks', { body: LIST, ...ANY });

    const answers = await Promise.all([read(made, made.later, 'umbrella'), read(made, 'x')]);

    expect(made.table.items()).toEqual(before);
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });
});
