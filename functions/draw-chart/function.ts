import { readFileSync } from 'node:fs';
import { createPictureRenderer } from '#shared/clients/picture-renderer.ts';
import { httpFunction } from '#shared/http/http-function.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { composeDrawChart } from './compose.ts';
import { DrawChartEnvironment } from './environment.ts';
import { drawChart } from './routes.ts';

export function drawChartFunction(outside: Basics & Pick<Outside, 'secret' | 'table'>) {
  const { now, secret } = outside;
  const environment = readEnvironment(DrawChartEnvironment, outside.variables);
  const readKey = secret(environment.LINK_KEY_PARAMETER);

  const ports = composeDrawChart({
    now,
    readKey: () => readKey(false),
    table: outside.table(environment.WATCH_TABLE),
    render: createPictureRenderer(() => ({
      wasm: readFileSync(`${environment.RENDERER_FOLDER}/renderer.wasm`),
      font: readFileSync(`${environment.RENDERER_FOLDER}/font.ttf`),
    })),
  });

  return httpFunction(
    {
      earlyAbortMs: outside.earlyAbortMs,
      log: outside.logOf('draw-chart'),
      corsOrigins: environment.CORS_ORIGINS,
    },
    (event) => drawChart(ports, event),
  );
}
