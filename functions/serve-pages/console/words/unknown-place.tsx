import type { ComponentChildren } from 'preact';
import { linkTo } from '#console/shell/place.ts';
import { Title } from '#console/shell/title.tsx';

type UnknownPlaceProps = { readonly title: string; readonly children: ComponentChildren };

/** The page for an unknown address. */
export function UnknownPlace({ title, children }: UnknownPlaceProps) {
  return (
    <div class="panel empty">
      <Title of={title} />
      <h1>{title}</h1>
      <p>{children}</p>
      <a class="button primary" href={linkTo()}>
        Go to the overview
      </a>
    </div>
  );
}
