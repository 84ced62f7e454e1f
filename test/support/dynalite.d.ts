declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** A DynamoDB on LevelDB: in memory, or in the folder `path`. */
  const dynalite: (options: {
    readonly path?: string;
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
  }) => Server;
  export = dynalite;
}
