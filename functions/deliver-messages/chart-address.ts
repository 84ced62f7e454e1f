import type { Alert } from '#shared/domain/alerting/alert.ts';
import { alertChart } from '#shared/domain/charts/alert-chart.ts';
import { chartToken } from '#shared/domain/charts/chart-token.ts';
import type { Instant } from '#shared/domain/market/instant.ts';
import type { AlertRule } from '#shared/domain/rules/alert-rule.ts';

/** The address of an alert's chart; undefined for an alert without one, and where none can be signed. */
export type ChartAddress = (
  alert: Alert,
  rule: AlertRule | undefined,
  signal: AbortSignal,
) => Promise<string | undefined>;

type Signing = {
  readonly now: () => Instant;
  readonly sleepUntil: (instant: Instant, signal: AbortSignal) => Promise<void>;
  /** The key that addresses are signed with. */
  readonly readKey: () => Promise<string>;
  /** Addresses begin with it. */
  readonly publicUrl: string;
  /** Receives why a message goes without its chart. */
  readonly onMissing: (error: unknown) => void;
};

/** Milliseconds that a message waits for the key, which is mostly remembered. */
const PATIENCE = 500;

/** Signs addresses of charts. The picture is drawn when somebody asks for it. */
export function createChartAddress(signing: Signing): ChartAddress {
  const { readKey, now, sleepUntil, publicUrl, onMissing } = signing;
  const keyInTime = async (signal: AbortSignal): Promise<string | undefined> => {
    try {
      return await Promise.race([
        readKey(),
        sleepUntil(now() + PATIENCE, signal).then(() => {
          throw new Error('its key was not read in time');
        }),
      ]);
    } catch (error) {
      onMissing(error);
      return undefined;
    }
  };
  return async (alert, rule, signal) => {
    const chart = alertChart(alert, rule);
    if (chart === undefined) return undefined;
    const key = await keyInTime(signal);
    const token = key === undefined ? undefined : chartToken(key, chart, Date.parse(alert.at));
    return token === undefined ? undefined : `${publicUrl}charts/${token}.png`;
  };
}
