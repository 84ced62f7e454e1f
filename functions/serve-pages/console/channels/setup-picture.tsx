import type { ComponentChildren } from 'preact';

/** The content of a setup picture: a simplified part of the service's page. */
export type Scene =
  | { readonly kind: 'menu'; readonly items: readonly string[]; readonly chosen: number }
  | { readonly kind: 'button'; readonly title: string; readonly label: string }
  | { readonly kind: 'switch'; readonly title: string; readonly label: string }
  | { readonly kind: 'field'; readonly label: string; readonly value: string }
  | { readonly kind: 'copy'; readonly label: string; readonly value: string }
  | { readonly kind: 'chat'; readonly lines: readonly string[]; readonly answer: string }
  | { readonly kind: 'mail'; readonly subject: string }
  | { readonly kind: 'code'; readonly lines: readonly string[] };

const WIDTH = 200;
const HEIGHT = 96;

/** Draws a setup step. Screen readers skip the picture, because the instructions are next to it. */
export function SetupPicture({ scene }: { readonly scene: Scene }) {
  return (
    <svg class="setup-picture" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <rect class="window" x="0.5" y="0.5" width={WIDTH - 1} height={HEIGHT - 1} rx="8" />
      {drawn(scene)}
    </svg>
  );
}

function drawn(scene: Scene): ComponentChildren {
  switch (scene.kind) {
    case 'menu':
      return scene.items.map((item, index) => {
        const y = 12 + index * 26;
        const isChosen = index === scene.chosen;
        return (
          <g key={item}>
            <rect
              class={isChosen ? 'chosen' : 'row'}
              x="12"
              y={y}
              width={WIDTH - 24}
              height="22"
              rx="5"
            />
            <text class={isChosen ? 'on-chosen' : 'faint'} x="22" y={y + 15}>
              {item}
            </text>
          </g>
        );
      });
    case 'button':
      return (
        <>
          <text x="14" y="25">
            {cut(scene.title)}
          </text>
          <rect class="row" x="14" y="36" width="110" height="6" rx="3" />
          <Pressed x={14} y={54} label={scene.label} />
        </>
      );
    case 'switch':
      return (
        <>
          <text class="faint" x="14" y="25">
            {scene.title}
          </text>
          <text x="14" y="57">
            {scene.label}
          </text>
          <rect class="chosen" x={WIDTH - 52} y="43" width="38" height="20" rx="10" />
          <circle class="knob" cx={WIDTH - 24} cy="53" r="7" />
        </>
      );
    case 'field':
      return (
        <>
          <text class="faint" x="14" y="34">
            {scene.label}
          </text>
          <rect class="field-box" x="14" y="44" width={WIDTH - 28} height="28" rx="6" />
          <text x="24" y="62">
            {scene.value}
          </text>
        </>
      );
    case 'copy':
      return (
        <>
          <text class="faint" x="14" y="25">
            {scene.label}
          </text>
          <rect class="field-box" x="14" y="34" width={WIDTH - 28} height="24" rx="6" />
          <text x="22" y="50">
            {cut(scene.value)}
          </text>
          <Pressed x={WIDTH - 64} y={64} label="Copy" />
        </>
      );
    case 'chat':
      return (
        <>
          {scene.lines.map((line) => (
            <g key={line}>
              <rect class="chosen" x="56" y="14" width={WIDTH - 70} height="26" rx="10" />
              <text class="on-chosen" x="68" y="31">
                {line}
              </text>
            </g>
          ))}
          <rect class="row" x="14" y="52" width={WIDTH - 44} height="26" rx="10" />
          <text x="24" y="69">
            {cut(scene.answer)}
          </text>
        </>
      );
    case 'mail':
      return (
        <>
          <rect class="field-box" x="14" y="14" width={WIDTH - 28} height="68" rx="6" />
          <path class="fold" d={`M14 18L${WIDTH / 2} 46L${WIDTH - 14} 18`} />
          <text x={WIDTH / 2} y="68" text-anchor="middle">
            {scene.subject}
          </text>
        </>
      );
    case 'code':
      return scene.lines.map((line, index) => (
        <text class="mono" key={line} x="14" y={30 + index * 22}>
          {line}
        </text>
      ));
  }
}

/** A button with a mouse pointer on it. */
function Pressed({
  x,
  y,
  label,
}: {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}) {
  const width = Math.max(56, label.length * 6.7 + 28);
  return (
    <>
      <rect class="chosen" x={x} y={y} width={width} height="24" rx="6" />
      <text class="on-chosen" x={x + width / 2} y={y + 16} text-anchor="middle">
        {label}
      </text>
      <path
        class="pointer"
        transform={`translate(${x + width - 7} ${y + 15})`}
        d="M0 0l0 16l4 -4l3 7l3 -1l-3 -7l6 0z"
      />
    </>
  );
}

const LONGEST = 27;

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
