import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What happens to a request: `pass`; `refuse` breaks the connection before the store sees it; `fail` answers 503; `hang` never answers; `lose` lets
 * the store carry it out and breaks the connection; `cut` breaks it in the middle of the answer's body; `stall` stops there; `spoil` changes a byte of
 * the request's body, and `spoil-answer` one of the answer's. A promise
 * holds the request until it resolves.
 */
export type Fault = 'pass' | 'refuse' | 'fail' | 'hang' | 'lose' | 'cut' | 'stall' | 'spoil' | 'spoil-answer' | Promise<void>

export interface SeenRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
}

export interface StoreProxy extends AsyncDisposable {
  url: string
  seen: SeenRequest[]
  /** Decides what happens to the next requests. */
  fault: (seen: SeenRequest) => Fault
}

export interface StoreProxyOptions {
  /** Carries out conditional writes for a store that ignores the condition. */
  addsConditions?: boolean
  /** Runs writes one after another. Without turns, conditional writes are not atomic. */
  takesTurns?: boolean
}

/** Starts a proxy between docsearch and an object store. */
export async function startStoreProxy(
  to: string,
  { addsConditions = false, takesTurns = addsConditions }: StoreProxyOptions = {},
): Promise<StoreProxy> {
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }
  const server = createServer((incoming, outgoing) => {
    const seen = { method: incoming.method!, url: incoming.url!, headers: incoming.headers }
    proxy.seen.push(seen)
    const fault = proxy.fault(seen)
    const isWrite = addsConditions && ['PUT', 'DELETE'].includes(seen.method)
    const work = async () => {
      if (isWrite && seen.headers['if-none-match'] === '*' && (await exists(to, seen))) return conditionFailed(incoming, outgoing)
      await passOn(to, incoming, outgoing, fault instanceof Promise ? 'pass' : fault)
    }
    // A held request must not delay the turns of other requests.
    void Promise.resolve(fault)
      .then(() => (isWrite && takesTurns ? inTurn(work) : work()))
      .catch(() => outgoing.destroy())
  })
  const proxy: StoreProxy = {
    url: '',
    seen: [],
    fault: () => 'pass',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

async function passOn(
  to: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Exclude<Fault, Promise<void>>,
): Promise<void> {
  if (fault === 'refuse') return void incoming.socket.destroy()
  if (fault === 'hang') return
  if (fault === 'fail') {
    incoming.resume()
    outgoing.writeHead(503, { 'content-type': 'application/xml' }).end('<Error><Code>SlowDown</Code></Error>')
    return
  }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const passedOn = request(to + incoming.url, { method: incoming.method!, headers: incoming.headers }, resolve)
    passedOn.on('error', reject)
    incoming
      .on('data', (bytes: Buffer) => passedOn.write(fault === 'spoil' ? spoiled(bytes) : bytes))
      .on('end', () => passedOn.end())
    incoming.on('close', () => incoming.complete || passedOn.destroy())
  })
  if (fault === 'lose') return void answer.resume().on('end', () => incoming.socket.destroy())
  outgoing.writeHead(answer.statusCode!, answer.headers)
  outgoing.on('close', () => answer.destroy())
  if (fault === 'cut' || fault === 'stall') {
    const [first] = (await answer.take(1).toArray()) as Buffer[]
    outgoing.write(first!.subarray(0, Math.ceil(first!.length / 2)), () => fault === 'cut' && outgoing.destroy())
    return
  }
  answer.on('data', (bytes: Buffer) => {
    if (!outgoing.write(fault === 'spoil-answer' ? spoiled(bytes) : bytes)) answer.pause()
  })
  outgoing.on('drain', () => answer.resume())
  answer.on('end', () => outgoing.end()).on('error', () => outgoing.destroy())
}

function spoiled(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[0]! ^= 1
  return copy
}

/** Sends the signature of the write, because the store behind the proxy does not check signatures. */
async function exists(to: string, { url }: SeenRequest): Promise<boolean> {
  const answer = await fetch(to + url.split('?')[0]!, { method: 'HEAD' })
  return answer.ok
}

function conditionFailed(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume()
  outgoing.writeHead(412, { 'content-type': 'application/xml' }).end('<Error><Code>PreconditionFailed</Code></Error>')
}
