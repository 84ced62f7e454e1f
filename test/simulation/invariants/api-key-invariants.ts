import type { APIGatewayProxyResult } from 'aws-lambda';
import { hashApiKey } from '#shared/domain/access/api-key.ts';
import { LIMITS } from '#shared/domain/limits.ts';
import { OutcomeUnknownError } from '#shared/domain/outcome-unknown.ts';
import type { Item } from '#shared/stores/table.ts';
import type { Written } from '#test/simulation/services/faulty-table.ts';
import type { Invocation } from '#test/simulation/services/sandbox.ts';

export type ApiKeyInvariants = {
  /** Called when the creator of a key receives an answer. */
  readonly handedOut: (by: Invocation, answer: APIGatewayProxyResult) => void;
  readonly failed: (error: unknown) => void;
  readonly keyWritten: (written: Written) => void;
  readonly atRest: (items: readonly Item[]) => void;
};

type World = {
  readonly broken: (invariant: string, what: string) => void;
  readonly met: (what: string) => void;
};

/** Checks that each live key was returned to its creator, unless the creator got an error. */
export function createApiKeyInvariants({ broken, met }: World): ApiKeyInvariants {
  const makers = new Map<string, Invocation>();
  const answered = new Set<Invocation>();
  const handedOut = new Set<string>();
  const unknown: string[] = [];

  return {
    handedOut: (by, { statusCode, body }) => {
      answered.add(by);
      const { key } = JSON.parse(body);
      if (statusCode === 201) handedOut.add(hashApiKey(key));
      else broken('a tenant may make keys', `${statusCode} ${body}`);
    },

    failed: (error) => {
      if (error instanceof OutcomeUnknownError) unknown.push(error.message);
    },

    keyWritten: ({ key: { sk }, before, by }) => {
      if (before === undefined && !sk.startsWith('tenant#')) makers.set(sk, by);
    },

    atRest: (items) => {
      const live = items.filter(
        ({ pk, tenant, revokedAt }) =>
          pk === 'KEYS' && tenant !== undefined && revokedAt === undefined,
      );
      for (const [tenant = '', keys] of Map.groupBy(live, (item) => String(item.tenant))) {
        if (keys.length > LIMITS.tenant.keys)
          broken('a tenant does not exceed its limit of keys', tenant);
      }
      const hashes = live.map(({ sk }) => sk);
      for (const hash of [...handedOut].filter((one) => !hashes.includes(one))) {
        broken('a key that was returned to its creator is live', hash);
      }
      for (const hash of hashes) {
        met(handedOut.has(hash) ? 'API key returned' : 'API key whose creator got an error');
        if (handedOut.has(hash)) continue;
        const maker = makers.get(hash);
        if (maker !== undefined && answered.has(maker)) {
          broken('a successful answer contains the created key', hash);
        }
        // After an unknown outcome, the creator can read whether its write was applied.
        if (unknown.some((message) => message.includes(hash))) {
          broken('a created key is not lost after an unknown outcome', hash);
        }
      }
    },
  };
}
