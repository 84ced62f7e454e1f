import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import * as z from 'zod';
import { systemErrorCode } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { expectAnswer, type Interface } from '#infra/operate/interface.ts';
import { CONTACT_POINTS_FILE, LISTS_FOLDER } from './directory.ts';
import { pathIn, readLists } from './plan-changes.ts';
import type { WatchlistsEvent } from './report.ts';
import { type Referred, withReferences } from './secrets.ts';

/**
 * Writes the contact points and lists of a tenant to new files. Fails if one of the files exists.
 */
export async function exportLists(
  http: Interface,
  directory: string,
  report: (event: WatchlistsEvent) => void,
): Promise<void> {
  const write = async (name: string, document: object, referred: readonly Referred[]) => {
    const file = join(directory, name);
    await mkdir(dirname(file), { recursive: true });
    await writeNew(file, stringify(document, { lineWidth: 0 }));
    report({ event: 'written', file });
    for (const one of referred) report({ event: 'variable', ...one });
  };

  const taken = new Set<string>();
  const { channels } = expectAnswer(await http.ask('GET /v1/channels', ContactPoints));
  const points = channels.map(({ state, reason, since, lastSuccess, waiting, ...channel }) =>
    withReferences(channel, channel.id, `contact point ${channel.id}`, taken),
  );
  await write(
    `${CONTACT_POINTS_FILE}.yaml`,
    { channels: points.map(({ written }) => written) },
    points.flatMap(({ referred }) => referred),
  );

  await mkdir(join(directory, LISTS_FOLDER), { recursive: true });
  for (const { id, revision } of await readLists(http)) {
    if (revision === undefined) {
      report({ event: 'unreadable', id });
      continue;
    }
    const list = expectAnswer(await http.ask(`GET ${pathIn('watchlist', id)}/export`, Exported));
    const own = list.channels.map((channel) =>
      withReferences(channel, `${id}_${idIn(channel)}`, `channel ${idIn(channel)} of ${id}`, taken),
    );
    await write(
      join(LISTS_FOLDER, `${id}.yaml`),
      { ...list, channels: own.map(({ written }) => written) },
      own.flatMap(({ referred }) => referred),
    );
  }
}

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    throw new UsageError(`${file} already exists: export into a new directory`, { cause: error });
  }
}

function idIn(channel: unknown): string {
  const { data } = z.object({ id: z.string() }).safeParse(channel);
  return data?.id ?? String(channel);
}

/** A contact point with its state, which is not exported. */
const ContactPoints = z.object({
  channels: z.array(
    z.looseObject({
      id: z.string(),
      ...{ state: z.unknown(), reason: z.unknown(), since: z.unknown() },
      ...{ lastSuccess: z.unknown(), waiting: z.unknown() },
    }),
  ),
});
const Exported = z.looseObject({ channels: z.array(z.unknown()) });
