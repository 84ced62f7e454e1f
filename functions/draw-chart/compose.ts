import { readFileSync } from 'node:fs';
import { createPictureRenderer } from '#shared/clients/picture-renderer.ts';
import type { Basics, Outside } from '#shared/outside/outside.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createHistoryStore } from '#shared/stores/history-store.ts';
import { DrawChartEnvironment } from './environment.ts';
import type { DrawChartPorts } from './routes.ts';

export type DrawChartOutside = Basics & Pick<Outside, 'secret' | 'table'>;

/** Creates the ports of one Lambda instance. */
export function composeDrawChart(outside: DrawChartOutside) {
  const environment = readEnvironment(DrawChartEnvironment, outside.variables);
  const readKey = outside.secret(environment.LINK_KEY_PARAMETER);
  const history = createHistoryStore(outside.table(environment.WATCH_TABLE));
  const ports: DrawChartPorts = {
    now: outside.now,
    readKey: () => readKey(false),
    recordedBetween: (contract, series, from, until) =>
      history.since(contract, series, from, { until }),
    render: createPictureRenderer(() => ({
      wasm: readFileSync(`${environment.RENDERER_FOLDER}/renderer.wasm`),
      font: readFileSync(`${environment.RENDERER_FOLDER}/font.ttf`),
    })),
  };
  return { ports, environment };
}
