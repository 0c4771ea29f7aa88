import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace as api,
  type Tracer,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { type ActiveSpan, noTelemetry, type SpanStart, type Telemetry } from '../core/telemetry.ts'

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

type Env = TracingOptions['env']

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT }
/** A receiver that can't be reached would fill the log. */
const LOG_EVERY_MS = 60_000

/**
 * Sends spans to the receiver that the standard variables name. Those about the receiver (`OTEL_EXPORTER_OTLP_*`) and about the resource
 * (`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`) are read by OpenTelemetry's packages from the environment of the process.
 */
export function startTracing({ env, version, log }: TracingOptions): Tracing {
  const exporter = exporterOf(env, log)
  if (exporter === null) return { trace: noTelemetry.trace, close: async () => {} }
  logFailures(log)
  const own = resourceFromAttributes({ 'service.name': 'docsearch', 'service.version': version })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(env, log),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batchOptions(env) })],
  })
  log.info({}, 'tracing is on')
  const tracer = provider.getTracer('docsearch', version)
  return {
    trace: tracing(tracer),
    async close(graceMs) {
      const late = new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref())
      await Promise.race([provider.shutdown(), late])
    },
  }
}

function tracing(tracer: Tracer): Tracing['trace'] {
  // Not the global context of OpenTelemetry, because a process may have several instances.
  const active = new AsyncLocalStorage<Context>()
  return ({ name, kind, parent, attributes }, work) => {
    const above = contextOf(parent) ?? active.getStore() ?? ROOT_CONTEXT
    const span = tracer.startSpan(
      name,
      { ...(kind && { kind: KINDS[kind] }), ...(attributes && { attributes: { ...attributes } }) },
      above,
    )
    return active.run(api.setSpan(above, span), async () => {
      try {
        return await work(activeSpan(span))
      } catch (error) {
        // Never the message: it can repeat a request or a document.
        span.setAttribute('error.type', isDocsearchError(error) ? error.code : error instanceof Error ? error.name : 'unknown')
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    })
  }
}

function activeSpan(span: Span): ActiveSpan {
  return {
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes({ ...attributes }),
    fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
  }
}

/** Returns the context of a caller's trace. Null without a valid header `traceparent`. */
function contextOf(parent: SpanStart['parent']): Context | null {
  const remote = parent ? parseTraceParent(parent) : null
  return remote && api.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true })
}

function exporterOf(env: Env, log: Logger): SpanExporter | null {
  const name = env['OTEL_TRACES_EXPORTER']?.trim() || 'otlp'
  if (name !== 'otlp') {
    log.warn({ exporter: name }, 'tracing is off, because docsearch has only the exporter otlp (OTEL_TRACES_EXPORTER)')
    return null
  }
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'] || 'http/protobuf'
  if (protocol === 'http/protobuf') return new ProtobufExporter()
  if (protocol === 'http/json') return new JsonExporter()
  log.warn(
    { protocol },
    'tracing is off, because docsearch has only the protocols http/protobuf and http/json (OTEL_EXPORTER_OTLP_PROTOCOL)',
  )
  return null
}

/** Returns the sampler of OTEL_TRACES_SAMPLER. By default, the caller of a request decides, and otherwise every trace is recorded. */
function samplerOf(env: Env, log: Logger): Sampler {
  const name = env['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on'
  const root = rootSampler(name.replace(/^parentbased_/, ''), env['OTEL_TRACES_SAMPLER_ARG'])
  if (root === null) {
    log.warn({ sampler: name }, 'the sampler is unknown, so every trace is recorded (OTEL_TRACES_SAMPLER)')
    return new ParentBasedSampler({ root: new AlwaysOnSampler() })
  }
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

function rootSampler(name: string, argument: string | undefined): Sampler | null {
  if (name === 'always_on') return new AlwaysOnSampler()
  if (name === 'always_off') return new AlwaysOffSampler()
  if (name !== 'traceidratio') return null
  const ratio = Number(argument ?? 1)
  return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1)
}

/** Returns the numbers of the standard variables that are set. */
function batchOptions(env: Env) {
  const number = (name: string) => {
    const value = Number(env[name] || NaN)
    return Number.isInteger(value) && value > 0 ? value : undefined
  }
  const options = {
    scheduledDelayMillis: number('OTEL_BSP_SCHEDULE_DELAY'),
    exportTimeoutMillis: number('OTEL_BSP_EXPORT_TIMEOUT'),
    maxQueueSize: number('OTEL_BSP_MAX_QUEUE_SIZE'),
    maxExportBatchSize: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** Logs what OpenTelemetry reports about itself, at most one line a minute. */
function logFailures(log: Logger): void {
  let loggedAt = Number.NEGATIVE_INFINITY
  const warn = (message: string): void => {
    if (performance.now() - loggedAt < LOG_EVERY_MS) return
    loggedAt = performance.now()
    log.warn({ reason: message.slice(0, 500) }, 'spans could not be sent')
  }
  const ignore = (): void => {}
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN)
}
