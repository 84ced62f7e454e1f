import { useEffect, useRef, useState } from 'preact/hooks';
import { loadPicture } from '#console/interface/pictures.ts';
import { isDerived } from '#shared/domain/market/derived-key.ts';

type AvatarProps = {
  readonly of: string;
  readonly id: string;
  /** Whether the provider has reported a picture. */
  readonly hasPicture?: boolean;
};

/**
 * The picture of a collection, loaded when it becomes visible. Until then, its initials are shown
 * on a coloured background.
 */
export function Avatar({ of, id, hasPicture = false }: AvatarProps) {
  const element = useRef<HTMLSpanElement>(null);
  const [picture, setPicture] = useState<string>();
  // A derived contract does not belong to a collection, so it has no picture.
  const isShown = hasPicture && !isDerived(id);
  useEffect(() => {
    setPicture(undefined);
    if (!isShown || element.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void loadPicture(id).then(setPicture);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [id, isShown]);
  return (
    <span ref={element} class={`avatar hue-${hueOf(id)}`} aria-hidden="true">
      {picture === undefined ? initialsOf(of) : <img src={picture} alt="" />}
    </span>
  );
}

function initialsOf(name: string): string {
  return name
    .split(/[\s/]+/)
    .map((word) => [...word][0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase();
}

const HUES = 8;

function hueOf(id: string): number {
  return [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 997, 7) % HUES;
}
