import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { messageOf } from '#infra/command-line/system-error.ts';
import { UsageError } from '#infra/command-line/usage-error.ts';

/** The members of a watchlist that this runtime reads; the HTTP API validates the rest. */
const WatchlistDocument = z.looseObject({
  id: z.unknown().optional(),
  contracts: z
    .array(z.union([z.string(), z.looseObject({ contract: z.string() })]))
    .readonly()
    .catch([]),
});
export type WatchlistDocument = z.output<typeof WatchlistDocument>;

/** The watchlists in a file: one document or an array of them. */
export async function readWatchlists(file: string): Promise<readonly WatchlistDocument[]> {
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--watchlists ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  });
  const documents = parseWatchlists(file, content);
  const ids = documents.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined) {
    throw new UsageError(`--watchlists ${file} contains two lists with the id ${twice}`);
  }
  return documents;
}

function parseWatchlists(file: string, content: string): readonly WatchlistDocument[] {
  try {
    const documents: unknown = JSON.parse(content);
    return z.array(WatchlistDocument).parse(Array.isArray(documents) ? documents : [documents]);
  } catch (error) {
    throw new UsageError(
      `--watchlists ${file}: expected a watchlist or an array of watchlists as JSON`,
      { cause: error },
    );
  }
}

/** The contracts that the documents watch. */
export function contractsOf(documents: readonly WatchlistDocument[]): ReadonlySet<string> {
  const contracts = documents.flatMap((document) => document.contracts);
  return new Set(
    contracts.map((member) =>
      (typeof member === 'string' ? member : member.contract).toLowerCase(),
    ),
  );
}

/**
 * Applies the watchlists over the HTTP API, and returns their ids.
 *
 * A stored list of an earlier run is replaced by the document, or left unchanged.
 */
export async function applyWatchlists(
  url: string,
  apiKey: string,
  documents: readonly WatchlistDocument[],
  known: 'replace' | 'leave',
): Promise<readonly string[]> {
  const send = createSender(url, apiKey);
  const ids: string[] = [];
  for (const document of documents) {
    const { id } = document;
    let answer = await send('POST', '/v1/watchlists', document);
    const isKnown = answer.status === 409 && typeof id === 'string';
    if (isKnown && known === 'replace') {
      answer = await send('PUT', `/v1/watchlists/${encodeURIComponent(id)}`, document, {
        'if-match': '*',
      });
    }
    if (!answer.ok && !(isKnown && known === 'leave')) {
      const which = typeof id === 'string' ? `the watchlist ${id}` : 'a watchlist';
      throw new UsageError(`${which} was rejected with ${answer.status}: ${detailOf(answer.text)}`);
    }
    ids.push(isKnown ? id : Created.parse(JSON.parse(answer.text)).id);
  }
  return ids;
}

/** Mutes a rule for ten minutes. */
export async function muteRule(
  url: string,
  apiKey: string,
  { list, rule }: { readonly list: string; readonly rule: string },
): Promise<void> {
  const mute = { rule, for: '10m', reason: 'to show the summary when the mute ends' };
  const answer = await createSender(url, apiKey)('POST', `/v1/watchlists/${list}/mutes`, mute);
  if (!answer.ok) throw new UsageError(`the rule ${rule} was not muted: ${detailOf(answer.text)}`);
}

const TRIES = 3;

/**
 * Sends a request, and retries it after a server error, because a busy machine may be too slow at
 * first.
 */
function createSender(url: string, apiKey: string) {
  return async (
    method: string,
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const idempotencyKey = `"${randomUUID()}"`;
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          'x-api-key': apiKey,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
          ...headers,
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (response.status >= 500 && attempt < TRIES) continue;
      return { ok: response.ok, status: response.status, text };
    }
  };
}

function detailOf(answer: string): string {
  try {
    return Problem.parse(JSON.parse(answer)).detail;
  } catch {
    return answer;
  }
}

const Problem = z.object({ detail: z.string() });
const Created = z.object({ id: z.string() });
