type ItemOperation = 'GetItem' | 'PutItem' | 'DeleteItem' | 'Query';

/** The rights of a function on the table, the queues and the topics of lists. */
export type GrantedRights = {
  /** Rights on items, by the prefix of the partition key. */
  readonly items: Readonly<Record<string, readonly ItemOperation[]>>;
  readonly indexes?: readonly ('due' | 'falling' | 'rising' | 'wakes')[];
  readonly sends?: readonly ('contracts' | 'lists' | 'channels')[];
  readonly topics?: readonly string[];
};

/**
 * The functions in the simulation. `rights.test.ts` compares the template with this list, and an
 * invariant of the simulation checks each call.
 */
export const GRANTED_RIGHTS = {
  'act-on-alert': {
    items: {
      'TENANT#*': ['GetItem', 'PutItem'],
      'JOBS#*': ['GetItem', 'PutItem'],
      'CHANGES#*': ['PutItem'],
      'WATCHES#*': ['GetItem'],
      'LIST#*': ['GetItem'],
    },
    sends: ['lists'],
  },
  'poll-prices': {
    items: {
      'CONTRACTS#*': ['GetItem', 'PutItem', 'Query'],
      'DISPATCH#*': ['GetItem', 'PutItem'],
      'HISTORY#*': ['PutItem', 'Query'],
      'TRADES#*': ['GetItem', 'PutItem', 'Query'],
      UPSTREAM: ['GetItem', 'PutItem'],
    },
    indexes: [],
    sends: ['contracts'],
  },
  'wake-work': {
    items: {
      'DISPATCH#*': ['GetItem', 'PutItem'],
      'INTENT#*': ['GetItem', 'PutItem', 'DeleteItem'],
      'INBOX#*': ['Query'],
    },
    indexes: ['due'],
    sends: ['lists', 'channels'],
  },
  'run-contracts': {
    items: {
      'CONTRACTS#*': ['GetItem', 'PutItem'],
      'COLLECTION#*': ['GetItem'],
      'WATCHES#*': ['GetItem', 'PutItem', 'DeleteItem', 'Query'],
      'HISTORY#*': ['PutItem', 'Query'],
      'TENANT#*': ['GetItem'],
      'JOBS#*': ['GetItem', 'PutItem', 'DeleteItem'],
      'LIST#*': ['PutItem'],
      'INBOX#*': ['PutItem'],
      'INTENT#*': ['PutItem'],
    },
    indexes: ['falling', 'rising', 'wakes'],
    sends: ['contracts', 'channels'],
  },
  'run-jobs': {
    items: {
      'WATCHES#*': ['GetItem', 'Query'],
      'TENANT#*': ['GetItem', 'PutItem', 'Query'],
      'JOBS#*': ['GetItem', 'PutItem', 'DeleteItem', 'Query'],
      'INTENT#*': ['PutItem'],
      'LIST#*': ['GetItem', 'PutItem', 'Query'],
      'INBOX#*': ['PutItem'],
      'CONTRACTS#*': ['GetItem'],
      'HISTORY#*': ['Query'],
      'COLLECTION#*': ['GetItem'],
      'CHANGES#*': ['PutItem'],
      STACK: ['GetItem', 'PutItem'],
      'USAGE#*': ['GetItem', 'PutItem'],
      UPSTREAM: ['GetItem', 'PutItem'],
    },
    sends: ['contracts', 'channels'],
    topics: [
      'CreateTopic',
      'DeleteTopic',
      'GetSubscriptionAttributes',
      'GetTopicAttributes',
      'ListSubscriptionsByTopic',
      'SetSubscriptionAttributes',
      'SetTopicAttributes',
      'Subscribe',
    ],
  },
  'deliver-messages': {
    items: {
      'INBOX#*': ['GetItem', 'PutItem', 'DeleteItem', 'Query'],
      'LIST#*': ['GetItem', 'PutItem'],
      'TENANT#*': ['GetItem', 'PutItem', 'DeleteItem'],
      'WATCHES#*': ['GetItem'],
      'CONTRACTS#*': ['GetItem'],
      'HISTORY#*': ['Query'],
      'JOBS#*': ['GetItem', 'PutItem'],
      'INTENT#*': ['PutItem'],
      STACK: ['GetItem', 'PutItem'],
    },
    sends: ['channels'],
    topics: ['Publish'],
  },
  'serve-api': {
    items: {
      'USAGE#*': ['GetItem', 'PutItem'],
      'IDEMPOTENCY#*': ['GetItem', 'PutItem'],
      'TENANT#*': ['GetItem', 'PutItem', 'Query'],
      'JOBS#*': ['GetItem', 'PutItem', 'Query'],
      'CHANGES#*': ['GetItem', 'PutItem', 'Query'],
      'WATCHES#*': ['GetItem', 'Query'],
      'CONTRACTS#*': ['GetItem', 'Query'],
      'COLLECTION#*': ['GetItem'],
      'HISTORY#*': ['Query'],
      'LIST#*': ['GetItem', 'Query'],
      'DISPATCH#*': ['GetItem'],
      UPSTREAM: ['GetItem', 'PutItem'],
    },
    sends: ['contracts', 'lists'],
  },
  'manage-channels': {
    items: {
      'USAGE#*': ['GetItem', 'PutItem'],
      'IDEMPOTENCY#*': ['GetItem', 'PutItem'],
      'TENANT#*': ['GetItem', 'PutItem', 'Query'],
      'JOBS#*': ['Query'],
      'CHANGES#*': ['PutItem'],
      'LIST#*': ['PutItem'],
      'INBOX#*': ['PutItem', 'Query'],
      'INTENT#*': ['PutItem'],
    },
    sends: ['channels'],
    topics: ['ConfirmSubscription', 'GetSubscriptionAttributes'],
  },
  'manage-keys': {
    items: {
      'USAGE#*': ['GetItem', 'PutItem'],
      'CHANGES#*': ['PutItem'],
      KEYS: ['GetItem', 'PutItem', 'Query'],
    },
  },
} as const satisfies Readonly<Record<string, GrantedRights>>;
export type FunctionName = keyof typeof GRANTED_RIGHTS;

/** The rights of a function on the table and the queues, one a line: `get TENANT`, `send lists`. */
export function callsGranted(name: FunctionName): readonly string[] {
  const { items, indexes = [], sends = [] }: GrantedRights = GRANTED_RIGHTS[name];
  return [
    ...Object.entries(items).flatMap(([partition, operations]) =>
      operations.map((operation) => `${CALLS[operation]} ${partition.replace('#*', '')}`),
    ),
    ...(indexes.includes('due') ? ['due DUE'] : []),
    ...(indexes.includes('falling') && indexes.includes('rising')
      ? ['thresholdIndex WATCHES']
      : []),
    ...sends.map((queue) => `send ${queue}`),
  ];
}

const CALLS = {
  GetItem: 'get',
  PutItem: 'put',
  DeleteItem: 'delete',
  Query: 'query',
} as const;
