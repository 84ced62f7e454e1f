/** Reports an event with its details to operators. */
export type Report<Events> = <Name extends string & keyof Events>(
  event: Name,
  fields: Events[Name],
) => void;

/** Details of an event that no metric counts. */
export type EventDetails = Readonly<Record<string, unknown>>;
