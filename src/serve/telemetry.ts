import type { Config } from '../config/config.ts'
import type { Logger } from '../core/logger.ts'
import type { Telemetry } from '../core/telemetry.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { Rates } from '../telemetry/rates.ts'
import { SlowSearches } from '../telemetry/slow-searches.ts'
import { createTelemetry } from '../telemetry/telemetry.ts'
import { openTracing } from '../telemetry/tracing.ts'

export interface OpenTelemetry {
  telemetry: Telemetry
  metrics: Metrics
  rates: Rates
  /** Sends the remaining spans. */
  close(graceMs: number): Promise<void>
}

/** Makes everything that measures the daemon. `env` decides about tracing (docs/monitoring.md). */
export async function openTelemetry(options: {
  config: Pick<Config, 'slowSearchMs'>
  version: string
  log: Logger
  env: Readonly<Record<string, string | undefined>>
}): Promise<OpenTelemetry> {
  const { config, version, log, env } = options
  const [metrics, rates] = [new Metrics({ version }), new Rates()]
  const slow = new SlowSearches({ slowMs: config.slowSearchMs, log: log.child({ part: 'search' }) })
  const tracing = await openTracing({ env, version, log: log.child({ part: 'tracing' }) })
  return {
    telemetry: createTelemetry([metrics, rates, slow], tracing.trace),
    metrics,
    rates,
    close: (graceMs) => tracing.close(graceMs),
  }
}
