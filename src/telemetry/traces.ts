import type { Logger } from '../core/logger.ts'
import type { Telemetry } from '../core/telemetry.ts'

export interface Tracing {
  trace: Telemetry['trace']
  /** Sends the remaining spans, for at most `graceMs`. */
  close(graceMs: number): Promise<void>
}

export interface TracingOptions {
  env: Readonly<Record<string, string | undefined>>
  version: string
  log: Logger
}
