import type { Report } from '#shared/domain/report.ts';
import type { Fields, Log } from './log.ts';

type Listeners<Events> = {
  readonly [Name in keyof Events]?: (fields: Events[Name]) => void;
};

/** Logs the events of a use case, and passes them to metrics. */
export function createReport<Events extends Readonly<Record<string, Fields>>>(
  log: Log,
  listeners: Listeners<Events>,
): Report<Events> {
  return (event, fields) => {
    listeners[event]?.(fields);
    log.info(event, fields);
  };
}
