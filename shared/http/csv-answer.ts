import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Columns, csvOf } from '#shared/domain/csv.ts';
import { rawAnswer } from './answer.ts';
import { ProblemError } from './problem.ts';
import type { HttpEvent } from './request.ts';

/** The cursor of the next page, and the omitted entries. */
type Page = { readonly cursor: string | null; readonly unreadable: readonly unknown[] };

/**
 * A page of rows as a CSV file. A `Link` header refers to the next page. A CSV file cannot
 * represent unreadable rows, so they cause a problem.
 */
export function csvAnswer<Row>(
  event: HttpEvent,
  name: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  { cursor, unreadable }: Page,
): APIGatewayProxyResult {
  if (unreadable.length > 0) {
    const entries = unreadable.length === 1 ? '1 entry' : `${unreadable.length} entries`;
    const detail = `this version of the stack cannot read ${entries}; omit format=csv to see which`;
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
