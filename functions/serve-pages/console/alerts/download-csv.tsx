import { useState } from 'preact/hooks';
import { askCsv } from '#console/interface/ask.ts';
import type { QueryOf } from '#console/interface/operations.ts';
import { saveFile } from '#console/interface/save-file.ts';
import { announce } from '#console/shell/announcements.tsx';
import { count } from '#console/words/amounts.ts';
import { ProblemNotice } from '#console/words/problem-notice.tsx';
import type { Problem } from '#shared/http/answer-shapes.ts';

type Filter = Omit<QueryOf<'GET /v1/episodes'>, 'limit' | 'cursor' | 'format'>;

/** Downloads all episodes of a filter page by page, and saves them as one file. */
export function DownloadCsv({ filter }: { readonly filter: Filter }) {
  const [read, setRead] = useState<number>();
  const [problem, setProblem] = useState<Problem>();
  const download = async () => {
    setProblem(undefined);
    const lines: string[] = [];
    let cursor: string | undefined;
    do {
      setRead(Math.max(0, lines.length - 1));
      const outcome = await askCsv('GET /v1/episodes', {
        ...{ ...filter, limit: '50' },
        ...(cursor === undefined ? {} : { cursor }),
      });
      if (outcome.kind !== 'answered') {
        setRead(undefined);
        if (outcome.kind === 'refused') setProblem(outcome.problem);
        else
          announce(
            'Nothing was downloaded: the server cannot be reached. Check the connection and try again.',
          );
        return;
      }
      // Each page starts with the column names. Keep only those of the first page.
      lines.push(...recordsOf(outcome.answer.text).slice(cursor === undefined ? 0 : 1));
      cursor = outcome.answer.cursor;
    } while (cursor !== undefined);
    setRead(undefined);
    saveFile('episodes.csv', 'text/csv', lines.join(''));
    announce(`${count(lines.length - 1, 'episode')} saved to episodes.csv.`);
  };
  return (
    <>
      <button type="button" disabled={read !== undefined} onClick={() => void download()}>
        {read === undefined ? 'Download CSV' : `Downloading: ${count(read, 'episode')}…`}
      </button>
      <ProblemNotice problem={problem} />
    </>
  );
}

/**
 * Splits a CSV text into records. No text of an episode has a line break, so each line is a record.
 */
function recordsOf(csv: string): readonly string[] {
  return csv.split('\r\n').flatMap((line) => (line === '' ? [] : [`${line}\r\n`]));
}
