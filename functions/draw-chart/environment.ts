import * as z from 'zod';
import { crossOriginVariables } from '#shared/http/cross-origin.ts';

/** The environment variables of `draw-chart`, set by the stack. */
export const DrawChartEnvironment = z.object({
  WATCH_TABLE: z.string().min(1),
  /** The name of the SSM SecureString with the key that signs links in messages. */
  LINK_KEY_PARAMETER: z.string().min(1),
  /** The folder with the renderer: `renderer.wasm` and `font.ttf`. */
  RENDERER_FOLDER: z.string().min(1),
  ...crossOriginVariables,
});
