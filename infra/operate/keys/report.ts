import type { Printer } from '#infra/command-line/printer.ts';
import { type ApiKeyRecord, apiKeyId, endOfKey, keyState } from '#shared/domain/access/api-key.ts';
import { formatInstant, type Instant, momentOf } from '#shared/domain/market/instant.ts';
import type { IssuedKey } from '#shared/use-cases/manage-keys.ts';

/** The output of `npm run keys`. */
export type Report = {
  readonly created: (issued: IssuedKey) => void;
  readonly listed: (keys: readonly ApiKeyRecord[]) => void;
  /** The end of a replaced key. */
  readonly ends: (key: ApiKeyRecord) => void;
  readonly revoked: (key: ApiKeyRecord) => void;
};

/** JSON lines, for programs. */
export function reportInJson({ line }: Printer, now: Instant): Report {
  const view = (key: ApiKeyRecord) => ({
    id: apiKeyId(key),
    tenant: key.tenant,
    name: key.name,
    scopes: key.scopes,
    state: keyState(key, now),
    createdAt: formatInstant(key.createdAt),
    endsAt: momentOf(endOfKey(key)),
  });
  return {
    created: ({ key, record }) => line({ event: 'created', key, ...view(record) }),
    listed: (keys) => {
      for (const key of keys) line({ event: 'key', ...view(key) });
    },
    ends: (key) => line({ event: 'ends', ...view(key) }),
    revoked: (key) => line({ event: 'revoked', ...view(key) }),
  };
}

/** Plain text, for people. */
export function reportInWords({ write }: Printer, now: Instant): Report {
  return {
    created: ({ key, record }) =>
      write(
        `${inWords(record, now)}\n\n  ${key}\n\nIt is not shown again: keep it in a safe place.\n`,
      ),
    listed: (keys) => {
      for (const key of keys) write(`${inWords(key, now)}\n`);
      if (keys.length === 0) write('There are no keys.\n');
    },
    ends: (key) => write(`The old key: ${inWords(key, now)}\n`),
    revoked: (key) => write(`${inWords(key, now)}: rejected within a minute\n`),
  };
}

function inWords(key: ApiKeyRecord, now: Instant): string {
  const { tenant, name, scopes } = key;
  const end = momentOf(endOfKey(key));
  const standing = {
    live: end === null ? 'without an end' : `until ${end}`,
    expired: `expired ${end}`,
    revoked: `revoked ${end}`,
  };
  const view = [tenant, scopes.join(','), standing[keyState(key, now)], name];
  return `${apiKeyId(key)}  ${view.join('  ')}`;
}
