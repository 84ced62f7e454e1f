import { readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import * as z from 'zod';
import { systemErrorCode } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';
import { type Variables, withSecrets } from './secrets.ts';
import { type FileProblem, type Path, readSourceFile, type SourceFile } from './source-file.ts';

/** The names of the files and folders in a directory, without extensions. */
export const CONTACT_POINTS_FILE = 'channels';
export const LISTS_FOLDER = 'watchlists';
const ENDINGS = ['.yaml', '.yml', '.json'];

/** A watchlist or a contact point in a file. */
export type Desired = {
  readonly id: string;
  readonly file: string;
  /** The request body, with secrets from environment variables. */
  readonly body: unknown;
  readonly problemAt: (path: Path, detail: string) => FileProblem;
};

/** The content of a directory. A kind without a file or folder is undefined, and is not changed. */
export type Directory = {
  readonly contactPoints: readonly Desired[] | undefined;
  readonly watchlists: readonly Desired[] | undefined;
  readonly problems: readonly FileProblem[];
};

/** Reads the files of a directory: the contact points, and one watchlist from each file. */
export async function readDirectory(directory: string, variables: Variables): Promise<Directory> {
  const entries = await filesIn(directory);
  if (entries === undefined) throw new UsageError(`${directory} is not a directory`);
  const listEntries = await filesIn(join(directory, LISTS_FOLDER));
  const shared = entries.filter((file) => parse(file).name === CONTACT_POINTS_FILE);
  if (shared.length === 0 && listEntries === undefined) {
    throw new UsageError(
      `${directory} contains neither ${CONTACT_POINTS_FILE}.yaml, for contact points, nor the folder ${LISTS_FOLDER}, with a file for each list`,
    );
  }
  const misplaced = entries
    .filter((file) => !shared.includes(file))
    .map((file) => whole(file, `unexpected file: watchlists belong in the folder ${LISTS_FOLDER}`));
  const [contactPoints, watchlists] = await Promise.all([
    readAll(shared, (source) => contactPointsIn(source, variables)),
    readAll(listEntries ?? [], (source) => [watchlistIn(source, variables)]),
  ]);
  const problems = [contactPoints, watchlists].flatMap((read) => [
    ...read.problems,
    ...twice(read),
  ]);
  return {
    contactPoints: shared.length === 0 ? undefined : contactPoints.desired,
    watchlists: listEntries && watchlists.desired,
    problems: [...misplaced, ...problems],
  };
}

type Read = { readonly desired: readonly Desired[]; readonly problems: readonly FileProblem[] };
type Found = { readonly desired: Desired; readonly problems: readonly FileProblem[] };

async function readAll(
  files: readonly string[],
  read: (source: SourceFile) => readonly (Found | FileProblem)[],
): Promise<Read> {
  const desired: Desired[] = [];
  const problems: FileProblem[] = [];
  for (const file of files) {
    const source = await readSourceFile(file);
    for (const found of 'document' in source ? read(source) : source) {
      problems.push(...('desired' in found ? found.problems : [found]));
      if ('desired' in found) desired.push(found.desired);
    }
  }
  return { desired, problems };
}

/** The contact points in a file: `channels`, in the same form as in a list. */
function contactPointsIn(
  source: SourceFile,
  variables: Variables,
): readonly (Found | FileProblem)[] {
  const document = ContactPoints.safeParse(source.document);
  if (!document.success) {
    return document.error.issues.map((issue) => {
      const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
      const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
      return unknown === undefined
        ? source.problemAt(path, issue.message)
        : source.problemAt([unknown], 'unknown member; put contact points under "channels"');
    });
  }
  return document.data.channels.map((channel, index) => {
    const above = ['channels', index];
    const { sent, misplaced } = withSecrets(channel, variables);
    const problemAt = (path: Path, detail: string) => source.problemAt([...above, ...path], detail);
    return {
      desired: { id: channel.id, file: source.file, body: sent, problemAt },
      problems: misplaced.map(({ path, detail }) => problemAt(path, detail)),
    };
  });
}

const ContactPoints = z.strictObject(
  {
    channels: z.array(
      z.looseObject({ id: z.string('expected the id of the contact point') }, 'expected a channel'),
      'expected a list of channels',
    ),
  },
  { error: ({ code }) => (code === 'invalid_type' ? 'expected "channels"' : undefined) },
);

/** The watchlist in a file; its id is the name of the file. */
function watchlistIn({ file, document, problemAt }: SourceFile, variables: Variables): Found {
  const { name: id } = parse(file);
  const own = WithChannels.safeParse(document);
  if (!own.success) return { desired: { id, file, body: document, problemAt }, problems: [] };
  const channels = own.data.channels.map((channel) => withSecrets(channel, variables));
  const problems = channels.flatMap(({ misplaced }, index) =>
    misplaced.map(({ path, detail }) => problemAt(['channels', index, ...path], detail)),
  );
  const body = { ...own.data, channels: channels.map(({ sent }) => sent) };
  return { desired: { id, file, body, problemAt }, problems };
}

/** A list with channels; the API validates all other members. */
export const WithChannels = z.looseObject({ channels: z.array(z.unknown()) });

function twice({ desired }: Read): readonly FileProblem[] {
  return desired.flatMap(({ id, file, problemAt }, index) => {
    const first = desired.find((other) => other.id === id);
    const isFirst = first === undefined || desired.indexOf(first) === index;
    if (isFirst) return [];
    const elsewhere = first.file === file ? '' : `: ${first.file} has the same id`;
    return [problemAt(['id'], `duplicate id "${id}"${elsewhere}`)];
  });
}

/** The document files in a folder, sorted; undefined if the folder does not exist. */
async function filesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && isDocument(entry.name));
    return files.map(({ name }) => join(folder, name)).toSorted();
  } catch (error) {
    if (MISSING.has(systemErrorCode(error))) return undefined;
    throw error;
  }
}

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

function isDocument(name: string): boolean {
  return ENDINGS.includes(parse(name).ext);
}

function whole(file: string, detail: string): FileProblem {
  return { file, line: 1, pointer: '', detail };
}
