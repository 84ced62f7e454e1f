/** The result of comparing an answer with one assumption in the code. */
export type Finding = {
  /** A provider, or a channel such as `slack (desk)`. */
  readonly subject: string;
  /** The name of the answer, such as `current floor`. */
  readonly answer: string;
  readonly check: Check;
  readonly agrees: boolean;
  readonly expected: string;
  readonly found: string;
};

export type Check =
  | 'status'
  | 'body'
  | 'members'
  | 'page size'
  | 'clock'
  | 'rate headers'
  | 'result'
  | 'currency'
  | 'age'
  | 'batches'
  | 'block range'
  | 'delivery';

/** The consequence of a difference for the user of a stack. */
export const MEANINGS: Readonly<Record<Check, string>> = {
  status: 'the client does not know this status, so it may retry in vain or report a wrong reason',
  body: 'the response did not come from the service; it may have come from a firewall or a proxy',
  members:
    'the client may skip such records or misread them, so prices may be missing: please report this difference',
  'page size':
    'the client reads fewer records per call, so it needs more polls to read the sales of a window',
  clock:
    'your clock or the clock of the service is wrong: prices look stale, or are rejected because they seem to be in the future',
  'rate headers':
    'the client cannot tell when the rate window ends, so after throttling it waits too long or not long enough',
  result: 'rules on this collection get no price from this service',
  currency:
    'rules compare only prices in the native currency of the chain, so this price does not trigger them',
  age: 'a floor older than two hours is used neither as a confirmation nor as a fallback',
  delivery: 'alerts do not reach this channel',
  'block range':
    'the client requests fewer blocks per call, so it needs more polls to read the sales of a window',
  batches: 'the client sends its calls one by one instead of in a batch, so it needs more requests',
};

/** Creates the findings about one answer. */
export type Compare = (check: Check, agrees: boolean, expected: string, found: string) => Finding;

export function compareAnswer(subject: string, answer: string): Compare {
  return (check, agrees, expected, found) => ({ subject, answer, check, agrees, expected, found });
}
