import { listGroup } from '#shared/domain/messages/groups.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { composeActOnAlert } from './compose.ts';
import { ActOnAlertEnvironment } from './environment.ts';
import { actOnAlert } from './routes.ts';

/**
 * Browsers open its pages by a link. Other pages never fetch them, so it allows no other origin.
 */
export function actOnAlertFunction(
  outside: Basics & Pick<Outside, 'secret' | 'senderTo' | 'table'>,
) {
  const { now, secret, senderTo } = outside;
  const environment = readEnvironment(ActOnAlertEnvironment, outside.variables);
  const log = outside.logOf('act-on-alert');
  const readKey = secret(environment.LINK_KEY_PARAMETER);

  const ports = composeActOnAlert({
    now,
    newVersion: outside.uniqueNumber,
    readKey: () => readKey(false),
    table: outside.table(environment.WATCH_TABLE),
    sendToLists: senderTo(environment.LISTS_QUEUE_URL, listGroup),
    report: (event, fields) => log.info(event, fields),
  });

  return httpFunction(
    {
      earlyAbortMs: outside.earlyAbortMs,
      log,
      corsOrigins: [],
    },
    (event) => actOnAlert(ports, event),
  );
}
