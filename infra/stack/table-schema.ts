/** The partition and sort keys of the table and its indexes; indexes hold only keys. */
export const TABLE_KEY = ['pk', 'sk'] as const;

/** The local indexes of the watches, which support strongly consistent reads. */
export const LOCAL_INDEXES = ['falling', 'rising', 'wakes'] as const;

/** The sparse global index of all items with a timer. */
export const DUE_INDEX = { name: 'due', key: ['dueShard', 'dueAt'] } as const;

/** The expiry time of an item, in seconds since the epoch. */
export const TTL_ATTRIBUTE = 'ttl';
