import { worldVariables } from '#infra/local/world-variables.ts';
import { findStage, type Settings } from '#infra/stack/stages.ts';
import type { AlertTopics } from '#shared/clients/alert-topics.ts';
import { publicHalfOf } from '#shared/clients/channel-key.ts';
import { publicPushKeyOf } from '#shared/clients/push-key.ts';
import { MissingSecretError } from '#shared/clients/secrets.ts';
import { MainProvider } from '#shared/domain/market/provider.ts';
import type { UpstreamLimits } from '#shared/domain/polling/upstream-limits.ts';
import type { Outside } from '#shared/outside/outside.ts';
import { PUSH_KEY } from '#test/support/push-key.ts';
import { NOON, someLimits } from './builders.ts';
import { CHANNEL_KEY } from './channel-keys.ts';

/** The settings of a stage, with the provider limits that the functions read. */
type StageOfTest = Omit<Settings, 'otherProviders'> & {
  readonly limits?: UpstreamLimits;
  readonly others?: readonly { readonly limits: UpstreamLimits }[];
};

export const PUBLIC_URL = 'https://api.example.com/v1/';

/** The environment variables of all functions in a stage. */
export function variablesOf({
  limits = someLimits(),
  others = [],
  ...settings
}: StageOfTest = {}): Outside['variables'] {
  const { budgetPerHour, budgetPerDay, budgetPerMonth, callsPerSecond, costs, shares } = limits;
  const stage = findStage('dev', {
    upstreamProvider: MainProvider.parse(limits.provider),
    upstreamCallsPerSecond: callsPerSecond,
    upstreamBudgetPerHour: budgetPerHour,
    upstreamBudgetPerDay: budgetPerDay,
    upstreamBudgetPerMonth: budgetPerMonth,
    upstreamCosts: costs,
    upstreamShares: shares,
    otherProviders: others.map(({ limits: { shares: _shared, ...other } }) => ({
      ...{ budgetPerHour: undefined, ...other },
      url: 'https://other.example',
    })),
    ...settings,
  });
  return worldVariables(stage, { publicUrl: PUBLIC_URL });
}

/** The key that signs the links in messages. */
const LINK_KEY = 'the key of links';
const PUBLIC_KEY = publicHalfOf(CHANNEL_KEY);

/**
 * The values of the SecureStrings that the functions of a stage read, except the keys of providers.
 */
export function secretsOf(variables: Outside['variables']): ReadonlyMap<string, string> {
  const named: readonly (readonly [string | undefined, string])[] = [
    [variables.CHANNEL_KEY_PARAMETER, CHANNEL_KEY],
    [variables.CHANNEL_PUBLIC_KEY_PARAMETER, PUBLIC_KEY],
    [variables.PUSH_KEY_PARAMETER, PUSH_KEY],
    [variables.PUSH_PUBLIC_KEY_PARAMETER, publicPushKeyOf(PUSH_KEY)],
    [variables.LINK_KEY_PARAMETER, LINK_KEY],
  ];
  return new Map(named.flatMap(([name, value]) => (name === undefined ? [] : [[name, value]])));
}

/**
 * An `Outside` that rejects all calls except those that a test replaces. Secrets are those of the
 * stage.
 */
export function anOutside(given: Partial<Outside> = {}): Outside {
  const { variables = variablesOf(), now = () => NOON } = given;
  const secrets = secretsOf(variables);
  let numbers = 0;
  return {
    ...{ variables, now, wallClock: now },
    sleepUntil: async () => {},
    // Time is virtual, so nothing is aborted early.
    earlyAbortMs: 0,
    random: () => 0,
    randomBytes: (count) => Buffer.alloc(count),
    uniqueNumber: () => {
      numbers += 1;
      return numbers;
    },
    logOf: () => ({ info: () => {}, error: () => {} }),
    httpClient: () => ({ request: async ({ url }) => refuse(url.href) }),
    table: (name) => refuse(name),
    bulkTable: (name) => refuse(name),
    senderTo: () => async () => {},
    queueDepth: async () => ({ waiting: 0, underWay: 0 }),
    secret: (name) => async () => {
      const value = secrets.get(name);
      if (value === undefined) throw new MissingSecretError(`there is no parameter ${name}`);
      return value;
    },
    topics: () => NO_TOPICS,
    emailSender:
      () =>
      async ({ to }) =>
        refuse(to),
    destinations: () => ({
      send: async ({ kind }) => refuse(kind),
      prove: async ({ channel }) => refuse(channel.id),
    }),
    upstream: () => ({
      floorHistory: async ({ address }) => refuse(address),
      lowestTrade: async ({ address }) => refuse(address),
      answer: async () => refuse('the provider'),
    }),
    otherUpstreams: () => [],
    holdingsReader: () => async (wallet) => refuse(wallet),
    ...given,
  };
}

/** Topics that reject every call, and only return their ARNs. */
export const NO_TOPICS: AlertTopics = {
  publishToStack: async () => refuse('the topic of the stack'),
  publishToChannel: async ({ id }) => refuse(id),
  hasTopic: async ({ id }) => refuse(id),
  keepSubscribers: async ({ id }) => refuse(id),
  removeTopics: async ({ id }) => refuse(id),
  confirm: async ({ id }) => refuse(id),
  topicOf: ({ tenant, id }) => `arn:aws:sns:eu-central-1:000000000000:${tenant}-${id}`,
};

class UnexpectedCallError extends Error {
  override readonly name = 'UnexpectedCallError';
}

function refuse(what: string): never {
  throw new UnexpectedCallError(`this test expects no call: ${what}`);
}
