import { httpFunction } from '#shared/http/http-function.ts';
import { type ActOnAlertOutside, composeActOnAlert } from './compose.ts';
import { actOnAlert } from './routes.ts';

/**
 * Browsers open these pages by a link. CORS allows no other origin, because no other page needs to
 * fetch them.
 */
export function actOnAlertFunction(outside: ActOnAlertOutside) {
  const { ports, log } = composeActOnAlert(outside);

  return httpFunction(
    {
      earlyAbortMs: outside.earlyAbortMs,
      log,
      corsOrigins: [],
    },
    (event) => actOnAlert(ports, event),
  );
}
