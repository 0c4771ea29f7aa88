import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm, rmdir } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { daemonOf } from '../client/local-daemon.ts'
import { DocsearchError } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { MAX_HEADER_BYTES } from '../http/problems/malformed.ts'

/** Listens, and returns the address to show, with the port that was taken. Throws `port_in_use`, `cannot_listen`. */
export async function listen(handler: RequestListener, host: string, port: number): Promise<{ server: Server; url: string }> {
  const server = createHttpServer(handler)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)))
    server.listen(port, host, resolve)
  })
  const taken = (server.address() as AddressInfo).port
  return { server, url: `http://${shownHost(host)}:${taken}` }
}

export function createHttpServer(handler: RequestListener): Server {
  // An upload may take long. Only its headers must arrive quickly.
  return createServer(
    { requestTimeout: 0, headersTimeout: 30_000, keepAliveTimeout: 10_000, maxHeaderSize: MAX_HEADER_BYTES },
    handler,
  )
}

/** Returns loopback for an address that listens everywhere, because a client can't connect to that. */
function shownHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): DocsearchError {
  const options = { cause: error }
  if (error.code === 'EADDRINUSE') {
    return new DocsearchError(
      'port_in_use',
      `Port ${port} on ${host} is in use, perhaps by another docsearch. Choose another port with --port, or a free one with --port 0.`,
      options,
    )
  }
  if (error.code === 'EACCES')
    return new DocsearchError(
      'cannot_listen',
      `Port ${port} needs more rights than this user has. Choose port 1024 or higher with --port.`,
      options,
    )
  return new DocsearchError(
    'cannot_listen',
    `Cannot listen on ${host}, port ${port}: ${error.message}. Choose another address with --host.`,
    options,
  )
}

/** Closes idle connections at once, lets requests in flight end, and cuts the connections that remain after the grace period. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // Also close connections that become idle from now on, because a client may keep one open without limit.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}

const SOCKET_NAME = 'daemon.sock'
const FALLBACK_PREFIX = 'docsearch-'
/** A longer path does not fit into `sun_path`, which has 104 bytes on macOS and 108 on Linux, including a final zero. */
const MAX_PATH_BYTES = 103

interface LocalSocket {
  path: string
  server: Server
  /** Removes the socket and the folder created for it. Call it after the server has closed. */
  remove(): Promise<void>
}

/**
 * Listens for this user's command line. Other users can't reach the socket, and can't put one in its place, because it is in a
 * folder of mode 0700: the data folder or, when that path is too long or its disk has no sockets, a new folder in XDG_RUNTIME_DIR
 * or /tmp. Returns null, and logs why, if neither place works. The caller must have locked the data folder, so a socket that
 * already exists belongs to a daemon that was killed.
 */
export async function listenLocally(
  handler: RequestListener,
  { dataDir, runtimeDir, log }: { dataDir: string; runtimeDir: string | undefined; log: Logger },
): Promise<LocalSocket | null> {
  await removeLeftover(dataDir)
  // A named pipe is not in a folder. Nobody can occupy a random name in advance.
  if (process.platform === 'win32') return listenAt(handler, `\\\\.\\pipe\\docsearch-${randomUUID()}`, async () => {})
  const path = join(dataDir, SOCKET_NAME)
  try {
    if (fits(path)) return await listenAt(handler, path, () => rm(path, { force: true }))
  } catch (error) {
    log.warn({ err: error, path }, 'the data folder cannot contain a socket')
  }
  try {
    return await listenElsewhere(handler, runtimeDir)
  } catch (error) {
    log.error({ err: error }, 'could not create a socket, so the command line of this user cannot use its local key')
    return null
  }
}

async function listenElsewhere(handler: RequestListener, runtimeDir: string | undefined): Promise<LocalSocket> {
  const isUsable =
    runtimeDir !== undefined && isAbsolute(runtimeDir) && fits(join(runtimeDir, `${FALLBACK_PREFIX}XXXXXX`, SOCKET_NAME))
  // mkdtemp creates a new folder of mode 0700.
  const folder = await mkdtemp(join(isUsable ? runtimeDir : '/tmp', FALLBACK_PREFIX))
  try {
    return await listenAt(handler, join(folder, SOCKET_NAME), () => rm(folder, { recursive: true, force: true }))
  } catch (error) {
    await rmdir(folder)
    throw error
  }
}

async function listenAt(handler: RequestListener, path: string, remove: LocalSocket['remove']): Promise<LocalSocket> {
  const server = createHttpServer(handler)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  if (process.platform !== 'win32') await chmod(path, 0o600)
  return { path, server, remove }
}

/** Removes the socket of a daemon that was killed, and the folder created for it. */
async function removeLeftover(dataDir: string): Promise<void> {
  // If something else is there, such as a folder, listening fails and the caller logs it.
  await rm(join(dataDir, SOCKET_NAME), { force: true }).catch(ignore)
  const path = daemonOf(dataDir)?.socket
  if (typeof path !== 'string' || basename(path) !== SOCKET_NAME || !basename(dirname(path)).startsWith(FALLBACK_PREFIX)) return
  await rm(path, { force: true }).catch(ignore)
  await rmdir(dirname(path)).catch(ignore)
}

function ignore(): void {
  // Leftovers don't prevent the start.
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH_BYTES
}
