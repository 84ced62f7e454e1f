import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Columns, csvOf } from '#shared/domain/csv.ts';
import { rawAnswer } from './answer.ts';
import { ProblemError } from './problem.ts';
import type { HttpEvent } from './request.ts';

/** Where a CSV says that there is more. */
type Page = { readonly cursor: string | null; readonly unreadable: readonly unknown[] };

/**
 * A page of rows as a file for spreadsheets. What a page says beside its rows stands in its headers:
 * the next page is a `Link`, and rows that cannot be read have no place, so they are a problem.
 */
export function csvAnswer<Row>(
  event: HttpEvent,
  name: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  { cursor, unreadable }: Page,
): APIGatewayProxyResult {
  if (unreadable.length > 0) {
    const detail = `another version of the stack has written ${unreadable.length} of what is asked for, which CSV cannot say; ask without format=csv for the rest`;
    throw new ProblemError(detail, { type: 'unreadable' });
  }
  return rawAnswer(200, csvOf(columns, rows), {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    ...(cursor === null ? {} : { Link: `<?${nextQuery(event, cursor).toString()}>; rel="next"` }),
  });
}

function nextQuery({ queryStringParameters }: HttpEvent, cursor: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(queryStringParameters ?? {})) {
    if (value !== undefined) query.set(name, value);
  }
  query.set('cursor', cursor);
  return query;
}
