import { describe, expect, it } from 'vitest';
import { VersionConflictError } from '#shared/domain/version-conflict.ts';
import { aRuleBody, PUNKS } from '#test/support/builders.ts';
import { ANY, world } from './world.ts';

const WEBHOOK = 'https://hooks.slack.com/services/T000/B000/s3cret';

type Reported = {
  readonly kind: string;
  readonly revision: number | null;
  readonly watchlist: string;
};

/** The audit log for its owner, newest first. */
async function auditLogOf(
  { ask }: Pick<ReturnType<typeof world>, 'ask'>,
  query: Readonly<Record<string, string>> = {},
) {
  const { body } = await ask('GET /v1/changes', { query });
  return body as { readonly changes: readonly Reported[]; readonly cursor: string | null };
}

const kinds = ({ changes }: { readonly changes: readonly Reported[] }) =>
  changes.map(({ kind, revision }) => [kind, revision]);

describe('the audit log', () => {
  it('the audit log reports the author and the changed members of each list change, but no values', async () => {
    const { ask } = world();
    const chat = { id: 'chat', kind: 'slack', url: WEBHOOK };
    const list = { name: 'Punks', contracts: [PUNKS], rules: [aRuleBody({ id: 'low' })] };
    await ask('PUT punks', { body: { ...list, channels: [chat] } });
    const rules = [aRuleBody({ id: 'low', threshold: '1' }), aRuleBody({ id: 'new' })];
    await ask('PUT punks', { body: { ...list, name: 'More', contracts: [], rules }, ...ANY });
    await ask('DELETE punks', ANY);

    const auditLog = await auditLogOf({ ask });

    const nothing = { added: [], changed: [], removed: [] };
    const by = { key: '0123456789', name: 'the script', via: null };
    expect(auditLog.cursor).toBeNull();
    expect(auditLog.changes).toMatchObject([
      {
        ...{ kind: 'watchlist_deleted', revision: 3, by },
        edit: { name: null, rules: { ...nothing, removed: ['low', 'new'] } },
      },
      {
        ...{ kind: 'watchlist_changed', revision: 2, by, watchlist: 'punks', subject: null },
        edit: {
          name: 'More',
          contracts: { ...nothing, removed: [PUNKS] },
          rules: { ...nothing, added: ['new'], changed: ['low'] },
          channels: { ...nothing, removed: ['chat'] },
        },
      },
      {
        ...{ kind: 'watchlist_created', revision: 1 },
        edit: {
          name: 'Punks',
          contracts: { ...nothing, added: [PUNKS] },
          rules: { ...nothing, added: ['low'] },
          channels: { ...nothing, added: ['chat'] },
        },
      },
    ]);
    expect(JSON.stringify(auditLog)).not.toMatch(/s3cret|kept:|hooks/);
  });

  it('the audit log has no entry for a request that is refused, or that has no effect', async () => {
    const { ask } = world();
    await ask('PUT punks', { body: { name: 'Punks' } });
    await ask('PUT punks', { body: { name: 'Punks' }, ...ANY });
    await ask('PUT punks', { body: { name: '' }, ...ANY });
    await ask('PUT punks', { body: { name: 'Other' }, headers: { 'If-Match': '"7"' } });
    await ask('POST ', { body: { id: 'punks', name: 'Again' } });
    await ask('DELETE punks/mutes/none', { path: { watchlist: 'punks', mute: 'none' }, ...ANY });

    expect(kinds(await auditLogOf({ ask }))).toEqual([['watchlist_created', 1]]);
  });

  it('the audit log reports created and lifted mutes', async () => {
    const { ask } = world();
    await ask('PUT punks', { body: { name: 'Punks' } });
    const { body } = await ask('POST punks/mutes', { body: { for: '1h' } });
    const path = { watchlist: 'punks', mute: body.id };
    await ask('DELETE punks/mutes/{mute}', { path, ...ANY });

    const { changes } = await auditLogOf({ ask });

    expect(changes.slice(0, 2)).toMatchObject([
      { kind: 'mute_lifted', subject: body.id, revision: null, edit: null },
      { kind: 'mute_made', subject: body.id },
    ]);
  });

  it('the audit log is paged, filtered by list, and visible to its tenant only', async () => {
    const { ask } = world();
    for (const id of ['a', 'b']) {
      await ask('POST ', { body: { id, name: 'One' } });
      await ask(`PUT ${id}`, { body: { name: 'Two' }, ...ANY });
    }
    await ask('POST ', { body: { id: 'c', name: 'Else' }, tenant: 'other' });

    const first = await auditLogOf({ ask }, { limit: '3' });
    const second = await auditLogOf({ ask }, { limit: '3', cursor: first.cursor ?? '' });
    const ofList = await auditLogOf({ ask }, { watchlist: 'a', limit: '1' });
    const { body: ofOther } = await ask('GET /v1/changes', { tenant: 'other' });

    const reported = [...first.changes, ...second.changes].map(
      ({ watchlist, revision }) => `${watchlist} ${revision}`,
    );
    expect(reported).toEqual(['b 2', 'b 1', 'a 2', 'a 1']);
    expect(second.cursor).toBeNull();
    expect(ofList.changes).toMatchObject([{ watchlist: 'a', revision: 2 }]);
    expect(ofOther.changes).toMatchObject([{ watchlist: 'c' }]);
  });
});

describe('a change that is refused', () => {
  it.each([
    ['because the table fails', new Error('killed')],
    ['because another writer was faster', new VersionConflictError('the list')],
  ])(
    'a change that is refused %s is not in the audit log, and writes nothing',
    async (_why, error) => {
      const { ask, ports, table } = world();
      await ask('PUT punks', { body: { name: 'One' } });
      const before = table.items();
      const refused = world({ ...ports, commitChange: () => Promise.reject(error) });

      await refused.ask('PUT punks', { body: { name: 'Two' }, ...ANY });

      expect(table.items()).toEqual(before);
      expect(kinds(await auditLogOf({ ask }))).toEqual([['watchlist_created', 1]]);
    },
  );
});
