import { lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isSameListener, normaliseAddress, reachableAddress } from './address.ts'
import { ClientError } from './errors.ts'

/** The daemon writes this file into its data folder once it listens, and removes it when it stops. */
const FACTS = 'daemon.json'

export interface DaemonFacts {
  pid: number
  /** The address the daemon listens on. */
  url: string
  /** The address for links: the public URL, or the address listened on. */
  base_url: string
  /** The path of the socket for this user's command line. Version 0.1.0 has none. */
  socket?: string
}

/** Returns the path of the file in which the daemon of a data folder announces itself. */
export function factsFile(dataDir: string): string {
  return join(dataDir, FACTS)
}

/** Returns what the daemon on this folder announced; null when none runs or it does not listen yet. After a crash it may still be there. */
export function daemonOf(dataDir: string): Partial<Record<keyof DaemonFacts, unknown>> | null {
  try {
    const facts: unknown = JSON.parse(readFileSync(factsFile(dataDir), 'utf8'))
    return typeof facts === 'object' && facts !== null ? facts : null
  } catch {
    // Every caller works without these facts, or reports that no daemon runs.
    return null
  }
}

/** The same, but null also when a crash has left the facts without the daemon. */
export function runningDaemonOf(dataDir: string): ReturnType<typeof daemonOf> {
  const facts = daemonOf(dataDir)
  if (typeof facts?.pid !== 'number') return null
  try {
    process.kill(facts.pid, 0)
    return facts
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? facts : null
  }
}

/** Returns true if the daemon on this data folder announced that it listens on this address. */
export function announces(dataDir: string, address: string): boolean {
  const url = daemonOf(dataDir)?.url
  return typeof url === 'string' && URL.canParse(url) && isSameListener(reachableAddress(url), normaliseAddress(address))
}

/**
 * Returns the socket of this user's own daemon. While the daemon is down, any user of the machine can listen on its port, but
 * only this user can create files in the data folder. So a request through the socket reaches a process of this user or none.
 * Throws ClientError `unreachable` when no daemon on the folder serves the address.
 */
export function localSocket(dataDir: string, address: string): string {
  checkOwner(dataDir, address)
  const facts = daemonOf(dataDir)
  if (facts === null) {
    throw unreachable(
      address,
      `no daemon runs on your data folder ${dataDir}. Start it with \`docsearch serve\`, or pass another address with --server. ` +
        `If ${address} now belongs to another instance, run \`docsearch --server ${address} logout\` and log in again.`,
    )
  }
  if (!announces(dataDir, address)) {
    throw unreachable(
      address,
      `the daemon on your data folder ${dataDir} listens on ${String(facts.url)} now. Pass that address with --server.`,
    )
  }
  if (typeof facts.socket !== 'string') {
    throw unreachable(
      address,
      `the daemon on your data folder ${dataDir} has no socket for local commands. Restart the daemon. If this message appears again, see the daemon's log.`,
    )
  }
  // On Windows, the socket is a named pipe, which is not in a folder.
  const folder = dirname(facts.socket)
  if (process.platform !== 'win32' && folder !== resolve(dataDir)) checkOwner(folder, address, lstatSync)
  return facts.socket
}

/**
 * Refuses a folder in which another user could have put a socket, for example after an external disk was replaced. For a folder
 * in /tmp, pass `lstatSync`, because another user can create a link there and change its target after the check.
 */
function checkOwner(folder: string, address: string, stat: typeof lstatSync = statSync): void {
  const uid = process.getuid?.()
  const stats = stat(folder, { throwIfNoEntry: false })
  if (uid === undefined || stats === undefined) return
  if (stats.uid === uid && (stats.mode & 0o022) === 0) return
  throw unreachable(
    address,
    `other users of this machine can write to ${folder}, so its daemon may not be yours. Nothing was sent. ` +
      'Make the folder yours, with mode 0700, or start your daemon again.',
  )
}

function unreachable(address: string, reason: string): ClientError {
  return new ClientError('unreachable', `Cannot reach ${address}: ${reason}`)
}
