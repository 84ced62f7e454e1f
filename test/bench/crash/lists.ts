import type { ContractKey } from '#shared/domain/market/contract.ts';
import type { World } from '#test/support/world.ts';

/** Lists of some tenants, with their numbers of contracts and rules. */
type Some = {
  readonly tenants: number;
  readonly lists: number;
  readonly contracts: number;
  readonly rules: number;
  /** The maximum number of alerts in a request to the webhook. */
  readonly batchSize?: number;
};

export type Lists = { readonly contracts: number; readonly some: readonly Some[] };

/**
 * A hundred thousand watches on a thousand contracts. One list has the maximum number of watches.
 */
export const WHOLE: Lists = {
  contracts: 1000,
  some: [
    { tenants: 1, lists: 1, contracts: 500, rules: 20, batchSize: 100 },
    { tenants: 18, lists: 10, contracts: 50, rules: 10 },
  ],
};

export const TENTH: Lists = {
  contracts: 100,
  some: [
    { tenants: 1, lists: 1, contracts: 100, rules: 10, batchSize: 100 },
    { tenants: 9, lists: 2, contracts: 50, rules: 10 },
  ],
};

type Body = Parameters<World['putList']>[0];

/** Each list has an email, a chat and a webhook; one rule in ten is critical. */
export function listsOf({ contracts, some }: Lists): readonly { tenant: string; body: Body }[] {
  let first = 0;
  return some.flatMap(({ tenants, lists, batchSize, ...each }, kind) =>
    Array.from({ length: tenants * lists }, (_, index) => {
      const members = Array.from({ length: each.contracts }, (_, number) =>
        contractOfNumber((first + number) % contracts),
      );
      first += each.contracts;
      return {
        tenant: `tenant-${kind}-${Math.floor(index / lists)}`,
        body: {
          ...{ id: `list-${index % lists}`, name: 'Some of them', contracts: members },
          rules: Array.from({ length: each.rules }, (_, rule) => ({
            ...{ id: `rule-${rule}`, metric: 'floor_price', when: 'below' as const },
            ...{ threshold: `${75 + rule}`, severity: severityOf(rule) },
          })),
          channels: [
            { id: 'desk', kind: 'email' as const, to: 'desk@example.com' },
            { id: 'chat', kind: 'slack' as const, url: CHAT },
            {
              ...{ id: 'bot', kind: 'webhook' as const, url: 'http://127.0.0.1:9/hook' },
              ...{ secrets: [SECRET], ...(batchSize && { batchSize }) },
            },
          ],
        },
      };
    }),
  );
}

const SECRET = `whsec_${Buffer.alloc(24, 's').toString('base64')}`;
const CHAT = 'https://hooks.slack.com/services/T000/B000/crash';

const severityOf = (rule: number) => (rule % 10 === 0 ? 'critical' : 'warning');

function contractOfNumber(number: number): ContractKey {
  return `eth:0x${number.toString(16).padStart(40, '0')}`;
}
