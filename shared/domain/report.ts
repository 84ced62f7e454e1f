/** Reports an event with its details to operators. */
export type Report<Events> = <Name extends string & keyof Events>(
  event: Name,
  fields: Events[Name],
) => void;

/** The details of an event without a metric. */
export type EventDetails = Readonly<Record<string, unknown>>;
