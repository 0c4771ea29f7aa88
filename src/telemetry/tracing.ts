import { noTelemetry } from '../core/telemetry.ts'
import type { Tracing, TracingOptions } from './otel.ts'

const OFF: Tracing = { trace: noTelemetry.trace, close: async () => {} }

/** Returns tracing if the standard variables of OpenTelemetry name an exporter. Only then loads its packages. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  if (!isNamed(options.env)) return OFF
  const { startTracing } = await import('./otel.ts')
  return startTracing(options)
}

function isNamed(env: TracingOptions['env']): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false
  const exporters = env['OTEL_TRACES_EXPORTER']?.trim()
  if (exporters) return exporters !== 'none'
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
}
