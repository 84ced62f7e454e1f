import { moment } from './times.ts';

/** A text from the API, with times in the time zone of the reader and quoted parts as code. */
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
