import { moment } from './times.ts';

/** What the interface says, with its times in the zone of the reader, and what it quotes as code. */
export function PlainWords({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(SPECIAL).map((part, index) => {
        if (/^\d{4}-\d\d-\d\dT/.test(part)) {
          return (
            <time key={index} dateTime={part}>
              {moment(part)}
            </time>
          );
        }
        return part.startsWith('`') ? <code key={index}>{part.slice(1, -1)}</code> : part;
      })}
    </>
  );
}

const SPECIAL = /(`[^`]*`|\d{4}-\d\d-\d\dT[\d:.]+Z)/;
