import { httpFunction } from '#shared/http/http-function.ts';
import { type ActOnAlertOutside, composeActOnAlert } from './compose.ts';
import { actOnAlert } from './routes.ts';

/**
 * Browsers open its pages by a link. Other pages never fetch them, so it allows no other origin.
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
