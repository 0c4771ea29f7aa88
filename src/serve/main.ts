import { openCredentialStore } from '../client/credentials/store.ts'
import { loadConfig, type LoadedConfig } from '../config/load.ts'
import { systemClock } from '../core/clock.ts'
import { daemonLog } from './daemon-log.ts'
import { createLogger, type LogOutput } from './logging.ts'
import { keepFilesPrivate, temporaryFolder } from './data-folder.ts'
import { startDaemon } from './start.ts'
import { VERSION } from './version.ts'

export interface ServeOutput {
  stdout: LogOutput
  stderr: LogOutput
  /** Prints one line for the user, unless they want none. */
  say: (line: string) => void
  env: Readonly<Record<string, string | undefined>>
  json: boolean
}

/** How long running work may take after a stop was requested. Docker kills after 10 s. */
const GRACE_MS = 8_000
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Runs `docsearch serve`. Resolves with the exit code once the daemon has stopped. Throws when the daemon can't start. `flags` are the options of
 * the command by their camelCase names.
 */
export async function runServe(flags: Readonly<Record<string, unknown>>, output: ServeOutput): Promise<number> {
  const { stdout, stderr, say, env, json } = output
  keepFilesPrivate()
  const loaded = await loadConfig(flags, env)
  if (flags.printConfig) {
    stdout.write(json ? `${JSON.stringify(loaded.values)}\n` : configTable(loaded))
    return 0
  }
  const { config } = loaded
  const log = createLogger(config.logLevel, daemonLog(config.dataDir, config.daemonLog) ?? stderr)
  const stop = stopSignal()
  keepTemporaryFilesIn(temporaryFolder(config.dataDir))
  // Without this timer, Node would end the process with exit code 0 while it awaits something that doesn't keep the event loop alive. The
  // daemon ends only when everything is closed.
  const alive = setInterval(() => {}, DAY_MS)
  try {
    // A server seldom has a keychain, and `whoami` says where the key is.
    const credentials = openCredentialStore({ env, onNotice: (line) => log.debug({}, line) })
    const daemon = await startDaemon({
      loaded,
      version: VERSION,
      clock: systemClock,
      log,
      say,
      credentials,
      env,
    })
    say(`docsearch ${VERSION}, data in ${config.dataDir}`)
    say(`embedder ${daemon.embedder.embedder}: ${daemon.embedder.reason}`)
    say(`reranker ${daemon.reranker.model ?? 'none'}: ${daemon.reranker.message}`)
    if (daemon.metricsUrl) say(`metrics at ${daemon.metricsUrl}`)
    // The link is a secret for 30 minutes. Only the person at this terminal may see it, so it is not logged.
    if (daemon.setupUrl) say(`set the owner's password within 30 minutes: ${daemon.setupUrl}`)
    const { url, setupUrl, metricsUrl } = daemon
    stdout.write(
      json
        ? `${JSON.stringify({ event: 'listening', url, pid: process.pid, ...(setupUrl && { setup_url: setupUrl }), ...(metricsUrl && { metrics_url: metricsUrl }) })}\n`
        : `listening on ${url}\n`,
    )

    const signal = await stop.requested
    say(`${signal}: stopping; send it again to stop at once`)
    await daemon.stop(GRACE_MS)
    return 0
  } finally {
    clearInterval(alive)
    stop.dispose()
  }
}

/**
 * Sets the folder for temporary files. LanceDB writes temporary folders and leaves them behind. In the data folder, the next start removes them,
 * and they use the disk whose free space is checked.
 */
export function keepTemporaryFilesIn(folder: string): void {
  for (const name of process.platform === 'win32' ? ['TMP', 'TEMP'] : ['TMPDIR']) process.env[name] = folder
}

/** The first SIGTERM or SIGINT requests a stop; the second one ends the process at once. */
function stopSignal(): { requested: Promise<string>; dispose: () => void } {
  const { promise, resolve } = Promise.withResolvers<string>()
  let asked = false
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(130)
    asked = true
    resolve(signal)
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
  return { requested: promise, dispose: () => void process.off('SIGTERM', onSignal).off('SIGINT', onSignal) }
}

/** The data folder stores which model `models use` chose. --print-config does not open it, so it can't show the name. */
function choiceNote(embedder: unknown): string {
  return embedder === 'auto' ? 'a model chosen with `docsearch models use` comes first' : 'overrides `docsearch models use`'
}

function configTable({ values }: LoadedConfig): string {
  const rows = values.map(
    ({ key, value, from }) =>
      [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
        key === 'embedder' ? `${from}; ${choiceNote(value)}` : from,
      ] as const,
  )
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map(([key, value, from]) => `${key.padEnd(widths[0]!)}  ${value.padEnd(widths[1]!)}  ${from}\n`).join('')
}
