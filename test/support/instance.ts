import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KillPoint } from '../../src/core/kill-point.ts'
import { cleanEnv, type RealDaemon, startRealDaemon } from './daemon.ts'
import { type Rest, rest } from './rest.ts'
import { within } from './until.ts'

/** A folder in which a test starts daemons one after another, and a key that works for all of them. */
export interface Instance {
  home: string
  dataDir: string
  /** The environment with which a process finds this data folder. */
  env: Record<string, string>
  /** Starts a daemon on this folder. The one before must have ended. */
  start(options?: StartOptions): Promise<Running>
  /** Like start, but returns null if the daemon died before it listened. */
  tryStart(options?: StartOptions): Promise<Running | null>
  /** Copies the data to another folder. No daemon may be running. */
  copy(): Promise<Instance>
  /** Kills the daemon and removes the folder. */
  remove(): Promise<void>
}

export interface StartOptions {
  /** Where the daemon kills itself: `point`, or `point:n` for the nth time it passes the point. */
  killAt?: KillPoint | `${KillPoint}:${number}`
  env?: Record<string, string>
  args?: string[]
  /** The docsearch.js of another version. */
  bin?: string
  /** Gets the process id before the daemon listens. */
  onSpawn?: (pid: number) => void
}

export interface Running extends Rest {
  daemon: RealDaemon
  token: string
  /** Waits until the daemon has died at its kill point. */
  died(): Promise<void>
}

export async function newInstance(env: Record<string, string> = {}): Promise<Instance> {
  return at(await newHome(), env, null)
}

function newHome(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'docsearch-fault-'))
}

function at(home: string, baseEnv: Record<string, string>, knownToken: string | null): Instance {
  let token = knownToken
  let last: RealDaemon | undefined
  const self: Instance = {
    home,
    dataDir: join(home, 'instance'),
    env: cleanEnv(home, { DOCSEARCH_DATA: join(home, 'instance'), DOCSEARCH_EMBEDDER: 'builtin', ...baseEnv }),
    async start({ killAt, env = {}, args = [], bin, onSpawn } = {}) {
      const daemon = await startRealDaemon({
        home,
        args,
        ...(bin !== undefined && { bin }),
        ...(onSpawn && { onSpawn }),
        env: {
          NODE_ENV: 'test',
          DOCSEARCH_EMBEDDER: 'builtin',
          // Starting a parser takes half a second of a core, and there are hundreds of starts.
          DOCSEARCH_PARSE_WORKERS: '1',
          ...(killAt && { DOCSEARCH_TEST_KILL_AT: killAt }),
          ...baseEnv,
          ...env,
        },
      })
      last = daemon
      token ??= await daemon.token()
      return {
        ...rest(daemon.url, token),
        daemon,
        token,
        async died() {
          await within(`the daemon to die at ${killAt}\n${daemon.stderr()}`, daemon.exited)
        },
      }
    },
    async tryStart(options) {
      return await self.start(options).catch((error: Error) => {
        if (error.message.includes('before it listened')) return null
        throw error
      })
    },
    async copy() {
      const copy = await newHome()
      // A killed daemon leaves its socket, which can't be copied.
      await cp(home, copy, { recursive: true, filter: (source) => !source.endsWith('.sock') })
      return at(copy, baseEnv, token)
    },
    async remove() {
      await last?.kill()
      await rm(home, { recursive: true, force: true })
    },
  }
  return self
}
