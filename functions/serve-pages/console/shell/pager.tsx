import { choices, choose } from './place.ts';

type PagerProps = {
  /** The cursor of the next page. Null on the last page. */
  readonly next: string | null | undefined;
  readonly words: { readonly first: string; readonly next: string };
};

/** Buttons to turn pages. The cursor is in the address, so the back button of the browser works. */
export function Pager({ next, words }: PagerProps) {
  const turn = (cursor: string | undefined) => {
    choose({ cursor });
    window.scrollTo(0, 0);
  };
  return (
    <div class="row">
      {choices.value.cursor !== undefined && (
        <button type="button" onClick={() => turn(undefined)}>
          {words.first}
        </button>
      )}
      {next != null && (
        <button type="button" onClick={() => turn(next)}>
          {words.next}
        </button>
      )}
    </div>
  );
}
