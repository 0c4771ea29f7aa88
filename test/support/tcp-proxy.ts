import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

interface Address {
  host: string
  port: number
}

/** A proxy for one process, which can cut it off from a server. */
export interface TcpProxy extends AsyncDisposable {
  port: number
  /** The number of open connections. */
  readonly open: number
  /** `refuse` breaks all connections and accepts none. `silence` keeps them, but nothing arrives any more, as when a cable is pulled. */
  cut(how: 'refuse' | 'silence'): void
  /** As when a standby takes over the address: connections stay, but nothing arrives any more, and new ones go to the other server. */
  failOver(to: Address): void
  /** Accepts connections again. Breaks those that were silent, and drops what they had still to send. */
  heal(): void
}

export async function startTcpProxy(first: Address): Promise<TcpProxy> {
  let to = first
  let state: 'open' | 'refuse' | 'silence' = 'open'
  const pairs = new Set<[Socket, Socket | null]>()
  const server = createServer((near) => {
    near.on('error', () => {})
    if (state === 'refuse') return void near.destroy()
    const far = state === 'open' ? createConnection(to) : null
    const mine = to
    const isOpen = () => state === 'open' && mine === to
    const pair: [Socket, Socket | null] = [near, far]
    pairs.add(pair)
    if (far === null) return
    far.on('error', () => {})
    near.on('data', (bytes) => isOpen() && far.write(bytes))
    far.on('data', (bytes) => isOpen() && near.write(bytes))
    // The server does not hear that a process behind a pulled cable has closed its connection.
    for (const socket of pair) socket!.on('close', () => state !== 'silence' && end(pair))
  })
  const end = (pair: [Socket, Socket | null]) => {
    pairs.delete(pair)
    for (const socket of pair) socket?.destroy()
  }
  const endAll = () => pairs.forEach(end)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return pairs.size
    },
    cut(how) {
      state = how
      if (how === 'refuse') endAll()
    },
    failOver(other) {
      to = other
    },
    heal() {
      endAll()
      state = 'open'
    },
    async [Symbol.asyncDispose]() {
      endAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
