import { useEffect, useLayoutEffect } from 'preact/hooks';

type TitleProps = {
  readonly of: string;
  /** The number of firing alerts, if the page shows them. */
  readonly firing?: number;
};

/** Sets the title of the tab, such as `(2) Alerts · floorwatch`. */
export function Title({ of, firing = 0 }: TitleProps) {
  useEffect(() => {
    const count = firing > 0 ? `(${firing}) ` : '';
    document.title = `${count}${of} · floorwatch`;
  }, [of, firing]);
  return null;
}

/** Removes the title of the previous page until the next one sets its own. */
export function useUntitled(address: string): void {
  useLayoutEffect(() => {
    document.title = 'floorwatch';
  }, [address]);
}
