import { useEffect, useLayoutEffect } from 'preact/hooks';

type TitleProps = {
  readonly of: string;
  /** The number of firing alerts, if the page has it. */
  readonly firing?: number;
};

/** Names the page in the title of the tab: `(2) Alerts · floorwatch`. */
export function Title({ of, firing = 0 }: TitleProps) {
  useEffect(() => {
    const count = firing > 0 ? `(${firing}) ` : '';
    document.title = `${count}${of} · floorwatch`;
  }, [of, firing]);
  return null;
}

/** Removes the title of the page before, until the next page is known. */
export function useUntitled(address: string): void {
  useLayoutEffect(() => {
    document.title = 'floorwatch';
  }, [address]);
}
