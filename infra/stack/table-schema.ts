/** The keys of the table and its indexes, each of a partition and a sort key; indexes hold keys only. */
export const TABLE_KEY = ['pk', 'sk'] as const;

/** The local indexes of the watches, which can be read strongly. */
export const LOCAL_INDEXES = ['falling', 'rising', 'wakes'] as const;

/** The sparse global index of what has a timer. */
export const DUE_INDEX = { name: 'due', key: ['dueShard', 'dueAt'] } as const;

/** When an item is forgotten, in seconds. */
export const TTL_ATTRIBUTE = 'ttl';
