import type { Answer } from '#console/interface/operations.ts';

export type Standing = Answer<'GET /v1/watches'>['watches'][number]['standing'];

/** How a rule does, in a word and a colour. */
const WORDS: Readonly<Record<Standing, { readonly word: string; readonly look: string }>> = {
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

export function StandingWord({ standing }: { readonly standing: Standing }) {
  const { word, look } = WORDS[standing];
  return <span class={`state ${look}`}>{word}</span>;
}
