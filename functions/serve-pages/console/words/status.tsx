import type { Answer } from '#console/interface/operations.ts';

export type Status = Answer<'GET /v1/watches'>['watches'][number]['status'];

/** The word and the colour for each status of a rule. */
const WORDS: Readonly<Record<Status, { readonly word: string; readonly look: string }>> = {
  firing: { word: 'Firing', look: 'firing' },
  error: { word: 'Error', look: 'failed' },
  noData: { word: 'No data', look: 'warning' },
  disputed: { word: 'Disputed', look: 'disputed' },
  pending: { word: 'Pending', look: 'pending' },
  acknowledged: { word: 'Acknowledged', look: 'acknowledged' },
  waiting: { word: 'Waiting', look: 'off' },
  ok: { word: 'OK', look: 'ok' },
  expired: { word: 'Expired', look: 'warning' },
  off: { word: 'Off', look: 'off' },
};

export function StatusWord({ status }: { readonly status: Status }) {
  const { word, look } = WORDS[status];
  return <span class={`state ${look}`}>{word}</span>;
}
