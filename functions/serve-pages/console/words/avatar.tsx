import { useEffect, useRef, useState } from 'preact/hooks';
import { pictureOf } from '#console/interface/pictures.ts';

type AvatarProps = {
  readonly of: string;
  readonly id: string;
  /** Whether the provider has reported one. */
  readonly hasPicture?: boolean;
};

/** The picture of a collection, asked for when it is seen; until then its initials on a colour of its own. */
export function Avatar({ of, id, hasPicture = false }: AvatarProps) {
  const element = useRef<HTMLSpanElement>(null);
  const [picture, setPicture] = useState<string>();
  useEffect(() => {
    setPicture(undefined);
    if (!hasPicture || element.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void pictureOf(id).then(setPicture);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [id, hasPicture]);
  return (
    <span ref={element} class={`avatar hue-${hueOf(id)}`} aria-hidden="true">
      {picture === undefined ? initialsOf(of) : <img src={picture} alt="" />}
    </span>
  );
}

function initialsOf(name: string): string {
  return name
    .split(/\s+/)
    .map((word) => [...word][0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase();
}

const HUES = 8;

function hueOf(id: string): number {
  return [...id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 997, 7) % HUES;
}
