/** Tells operators what happened, each event with what is known of it. */
export type Report<Events> = <Name extends string & keyof Events>(
  event: Name,
  fields: Events[Name],
) => void;

/** What is told of an event that nothing is measured by. */
export type EventDetails = Readonly<Record<string, unknown>>;
