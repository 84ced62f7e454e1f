/** Reports operators what happened, each event with what is known of it. */
export type Report<Events> = <Name extends string & keyof Events>(
  event: Name,
  fields: Events[Name],
) => void;

/** What is reported of an event that nothing is measured by. */
export type EventDetails = Readonly<Record<string, unknown>>;
