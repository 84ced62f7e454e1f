import { randomBytes } from 'node:crypto';
import { runCommand } from '#infra/command-line/run-command.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { openStackTable } from '#infra/operate/stack-table.ts';
import { type ApiKeyRecord, apiKeyId } from '#shared/domain/access/api-key.ts';
import { KeyError } from '#shared/domain/access/key-error.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import { type ApiKeyStore, createApiKeyStore } from '#shared/stores/api-key-store.ts';
import { createKey, type KeyPorts, revokeKey, rotateKey } from '#shared/use-cases/manage-keys.ts';
import { type End, type KeysOptions, readKeysOptions } from './keys-options.ts';
import { type Report, reportInJson, reportInWords } from './report.ts';

await runCommand(readKeysOptions, async (options, printer) => {
  const { table, now } = await openStackTable(options);
  const keys = createApiKeyStore(table);
  const report = (options.json ? reportInJson : reportInWords)(printer, now);
  try {
    await run(
      options,
      { keys, now, random: () => randomBytes(32), entryOf: () => undefined },
      report,
    );
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
});

type Ports = KeyPorts & { readonly keys: ApiKeyStore };

async function run(options: KeysOptions, ports: Ports, report: Report): Promise<void> {
  const { now } = ports;
  switch (options.command) {
    case 'create': {
      const { tenant, name, scopes } = options;
      const expiresAt = endFrom(options.expires, now);
      report.created(await createKey(ports, { tenant, name, scopes, expiresAt }));
      return;
    }
    case 'list': {
      const { tenant } = options;
      const all = await ports.keys.all();
      const meant = all.filter((key) => tenant === undefined || key.tenant === tenant);
      report.listed(meant.toSorted(byTenantAndAge));
      return;
    }
    case 'rotate': {
      const old = await findKey(ports, options.id);
      const expiresAt = endFrom(options.expires, now);
      const { issued, ended } = await rotateKey(ports, old, {
        expiresAt,
        overlap: options.overlap,
      });
      report.created(issued);
      report.ends(ended);
      return;
    }
    case 'revoke':
      report.revoked(await revokeKey(ports, await findKey(ports, options.id)));
      return;
  }
}

async function findKey({ keys }: Ports, id: string): Promise<ApiKeyRecord> {
  const found = (await keys.all()).find((key) => apiKeyId(key) === id);
  if (found !== undefined) return found;
  throw new UsageError(`there is no key ${id}; npm run keys -- list shows all keys`);
}

function endFrom(end: End | undefined, now: Instant): Instant | undefined {
  if (end === undefined) return undefined;
  const instant = 'after' in end ? now + end.after : end.at;
  if (instant > now) return instant;
  throw new UsageError('--expires: expected a moment in the future');
}

type Listed = { readonly tenant: string; readonly createdAt: Instant };

function byTenantAndAge(one: Listed, other: Listed): number {
  return one.tenant.localeCompare(other.tenant) || one.createdAt - other.createdAt;
}
