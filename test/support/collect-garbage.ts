import type { RealDaemon } from './daemon.ts'
import { until } from './until.ts'

/** A daemon with this environment opens an inspector on any free port when it gets SIGUSR1. */
export const INSPECTABLE = { NODE_OPTIONS: '--inspect-port=0' } as const

/** The inspector of a daemon's main thread. */
export interface Inspector {
  /** Collects all garbage, and returns the bytes that the heap of V8 uses afterwards. */
  collectGarbage(): Promise<number>
  close(): void
}

/** Connects to a daemon that was started with `INSPECTABLE`. */
export async function inspect(daemon: RealDaemon): Promise<Inspector> {
  process.kill(daemon.pid, 'SIGUSR1')
  const url = await until('the inspector to listen', () => /Debugger listening on (ws:\S+)/.exec(daemon.stderr())?.[1])
  const socket = new WebSocket(url)
  const answers = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(data as string) as { id?: number; result?: unknown }
    if (id !== undefined) answers.get(id)?.resolve(result)
  })
  socket.addEventListener('close', () => {
    for (const { reject } of answers.values()) reject(new Error('the inspector closed the connection'))
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  let last = 0
  const call = async <T>(method: string): Promise<T> => {
    const id = ++last
    const answer = Promise.withResolvers<unknown>()
    answers.set(id, answer)
    socket.send(JSON.stringify({ id, method }))
    return (await answer.promise.finally(() => answers.delete(id))) as T
  }
  return {
    async collectGarbage() {
      await call('HeapProfiler.collectGarbage')
      return (await call<{ usedSize: number }>('Runtime.getHeapUsage')).usedSize
    },
    close: () => socket.close(),
  }
}
