import { SECRET_FORMS } from '#shared/channels/secret-forms.ts';
import type { Asked } from '#test/simulation/actors/readers.ts';
import { canaryOf, secretsOf } from '#test/simulation/actors/users.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';

export type SecrecyInvariantsWorld = {
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: string) => void;
  readonly tenants: readonly string[];
};

export type SecrecyInvariants = {
  /** Called with each answer over HTTP. */
  readonly reported: (asked: Asked) => void;
  readonly logged: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly listWritten: (written: Written) => void;
  /** Called with the decrypted secrets of a channel for each notification. */
  readonly opened: (destinationId: string, secrets: readonly string[]) => void;
};

/** Checks that callers see no data of other tenants, and no secrets. */
export function createSecrecyInvariants({
  broken,
  met,
  tenants,
}: SecrecyInvariantsWorld): SecrecyInvariants {
  const checkSecrets = (where: string, text: string) => {
    if (SECRETS.some((form) => form.test(text)))
      broken('a secret is shown to no caller', `${where}: ${text}`);
  };

  return {
    reported: ({ tenant, route, status, body }) => {
      met(`${status} to ${route}`);
      for (const other of tenants) {
        if (!body.includes(canaryOf(other))) continue;
        if (other === tenant) met('own text in an answer');
        else broken('no tenant sees data of another', `${tenant} asked ${route} and got ${body}`);
      }
      checkSecrets(`${tenant} asked ${route}`, body);
    },

    logged: (event, fields) => {
      const text = JSON.stringify(fields, errorsAsText);
      const canary = tenants.map(canaryOf).find((words) => text.includes(words));
      if (canary !== undefined)
        broken('no log contains texts that people wrote', `${event} ${text}`);
      checkSecrets(event, text);
    },

    listWritten: ({ key: { pk, sk }, after }) => {
      checkSecrets(`${pk} ${sk}`, JSON.stringify(after?.channels ?? []));
    },

    opened: (destinationId, secrets) => {
      if (secrets.length > 0) met('opened secret');
      const [tenant = '', id = ''] = destinationId.split('#');
      const own: readonly string[] = Object.values(secretsOf({ tenant, id }));
      const isRight = secrets.every((secret) => own.includes(secret));
      if (!isRight)
        broken('a channel is opened with its own secrets', `${destinationId}: ${secrets.join()}`);
    },
  };
}

/** The patterns of all secrets. */
const SECRETS = Object.values(SECRET_FORMS).flat();

function errorsAsText(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (!(value instanceof Error)) return value;
  return `${value.stack} ${String(value.cause)}`.replaceAll(PLACE_IN_CODE, '');
}

/**
 * Source locations in stack traces are removed, because a folder may look like a part of an
 * address.
 */
const PLACE_IN_CODE = /\S+:\d+:\d+/g;
