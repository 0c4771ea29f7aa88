import type { RequestListener } from 'node:http'
import type { Config } from '../config/config.ts'
import { DocsearchError, isDocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import type { HttpSettings } from '../http/dependencies.ts'
import { createMetricsApp } from '../http/metrics-app.ts'
import type { Metrics } from '../services/metrics.ts'
import { closeServer, listen } from './listen.ts'
import type { OpenParts } from './open-parts.ts'

/** Listens on `metrics.listen`, if it is set. Returns the address of the metrics. Throws `port_in_use`, `cannot_listen`. */
export async function serveMetrics(options: {
  config: Pick<Config, 'metricsListen'>
  metrics: Metrics
  settings: Pick<HttpSettings, 'allowedHosts' | 'baseUrl'>
  log: Logger
  open: OpenParts
}): Promise<string | null> {
  const { config, metrics, settings, log, open } = options
  if (config.metricsListen === null) return null
  const { host, port } = config.metricsListen
  const handle = createMetricsApp({ metrics, settings, log: log.child({ part: 'metrics' }) }).callback()
  // Koa answers every failure itself, so its promise never rejects.
  const handler: RequestListener = (request, response) => void handle(request, response)
  const { server, url } = await listen(handler, host, port).catch((error: unknown) => {
    if (!isDocsearchError(error)) throw error
    throw new DocsearchError(error.code, `The metrics cannot be served (metrics.listen): ${causeOf(error)}`, { cause: error })
  })
  open.add('listener for metrics', (graceMs) => closeServer(server, graceMs))
  return `${url}/metrics`
}

/** The reason without advice about --host and --port, which do not concern this listener. */
function causeOf({ cause, message }: Error): string {
  return cause instanceof Error ? `${cause.message}.` : message
}
