import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PathProxy extends AsyncDisposable {
  /** The address with the path. */
  url: string
  /** Where requests go; set it before the first one. */
  to: string
  /** Paths outside of the path that somebody asked for. */
  missed: string[]
}

/** A reverse proxy that serves an instance below a path of its host, and has nothing else on this host. `strips`: it takes the path off. */
export async function startPathProxy(path: string, { strips }: { strips: boolean }): Promise<PathProxy> {
  const server = createServer((incoming, outgoing) => {
    const url = incoming.url ?? '/'
    if (!url.startsWith(`${path}/`)) {
      proxy.missed.push(url)
      outgoing.writeHead(404).end()
      return
    }
    const target = new URL(proxy.to)
    const sent = request(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: strips ? url.slice(path.length) : url,
        headers: incoming.headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    sent.on('error', () => outgoing.destroy())
    outgoing.on('close', () => sent.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: PathProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    to: '',
    missed: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
