import { once } from 'node:events'
import { createServer } from 'node:net'
import { reachableAddress } from '../../../client/address.ts'
import { lastLocalInstance } from '../../../client/credentials/local.ts'
import { daemonOf } from '../../../client/local-daemon.ts'
import { resolveTarget } from '../../../client/profiles.ts'
import { dataVariable, resolveDataDir } from '../../../config/data-dir.ts'
import { isDocsearchError, DocsearchError } from '../../../core/errors.ts'
import type { Context } from '../../context.ts'
import { launchDaemon, logOf, type LaunchFailure } from '../../launch-daemon.ts'

const DEFAULT_PORT = 4747
const TRY_EVERY_MS = 100
/** How long a daemon may take on a busy machine, also one that another process starts: 30 s. */
const MAX_TRIES = 300
/** A daemon listens a moment before it saves the key of the command line. Without a key, the user has logged out. */
const MAX_TRIES_FOR_KEY = 50

/** What to do about a daemon that ended, where its own message names an option that `docsearch mcp` doesn't have. */
const ADVICE: Readonly<Record<string, string>> = {
  port_in_use: "For `docsearch mcp`, set the port as DOCSEARCH_PORT in the agent's settings.",
  cannot_listen: "For `docsearch mcp`, set the port as DOCSEARCH_PORT in the agent's settings.",
  data_unusable: "For `docsearch mcp`, set the folder as DOCSEARCH_DATA in the agent's settings.",
  disk_full: 'Free some space.',
}

/**
 * Starts this user's own daemon if no instance is configured, and when the configured one is the user's own daemon and doesn't run. The daemon
 * keeps running. An instance that a flag, the environment or a profile names is never started. Throws `unreachable` with what is wrong and what to do.
 */
export async function startIfNone(context: Context): Promise<void> {
  const { env } = context.io
  const { server, profile } = context.globals
  if (env['DOCSEARCH_TOKEN']) return
  const { from } = await resolveTarget({ env, server, profile })
  if (from !== 'default' && from !== 'local daemon') return
  const dataDir = dataVariable(env) === undefined ? await usualDataDir(env) : resolveDataDir(undefined, env).dir
  if ((await stateOf(context, dataDir)) === 'down') {
    await start(context, dataDir)
    context.notice(`An instance runs with its data in ${dataDir}. Its log: ${logOf(dataDir)}`)
  }
  for (let tries = 0; tries < MAX_TRIES_FOR_KEY && !context.io.signal.aborted; tries++) {
    if ((await stateOf(context, dataDir)) !== 'without a key') return
    await context.io.wait(TRY_EVERY_MS, context.io.signal)
  }
}

async function start(context: Context, dataDir: string): Promise<void> {
  const { env, signal } = context.io
  let launch = launchDaemon(dataDir, env)
  let mayChoosePort = !env['DOCSEARCH_PORT']
  for (let tries = 0; tries < MAX_TRIES && !signal.aborted; tries++) {
    if ((await stateOf(context, dataDir)) !== 'down') return
    const failure = launch.failure()
    // Another process started a daemon at the same moment. That one has the data folder and will listen soon.
    if (failure !== null && failure.code !== 'data_in_use') {
      if (!mayChoosePort || !(await isTaken(DEFAULT_PORT))) throw cannotStart(dataDir, failure)
      mayChoosePort = false
      launch = launchDaemon(dataDir, env, ['--port', '0'])
    }
    await context.io.wait(TRY_EVERY_MS, signal)
  }
  throw cannotStart(dataDir, launch.failure() ?? { code: 'timeout', message: 'It does not answer yet.' })
}

function cannotStart(dataDir: string, { code, message }: LaunchFailure): DocsearchError {
  const advice = ADVICE[code ?? ''] ?? `See its log ${logOf(dataDir)}.`
  return new DocsearchError(
    'unreachable',
    `docsearch could not start an instance on this machine. ${message} ${advice} Then call the tool again.`,
  )
}

async function isTaken(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return false
  } catch {
    return true // EADDRINUSE, or no right to listen: another port may work.
  } finally {
    server.close()
  }
}

async function usualDataDir(env: Context['io']['env']): Promise<string> {
  return (await lastLocalInstance(env))?.dataDir ?? resolveDataDir(undefined, env).dir
}

type State = 'down' | 'without a key' | 'ready'

async function stateOf(context: Context, dataDir: string): Promise<State> {
  const url = daemonOf(dataDir)?.url
  if (typeof url !== 'string') return 'down'
  const address = reachableAddress(url)
  try {
    await (await context.clientWith(null, address)).health()
  } catch (error) {
    // The file of a daemon that crashed is still there, or the daemon is about to listen.
    if (isDocsearchError(error)) return 'down'
    throw error
  }
  return (await (await context.credentials()).get(address)) === null ? 'without a key' : 'ready'
}
