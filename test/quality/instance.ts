import { dirname } from 'node:path'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import type { UploadAnswer } from '../../src/contract/documents.ts'
import { DocumentWatch } from '../../src/cli/commands/upload/wait.ts'
import { createClient } from '../../src/client/client.ts'
import { type RealDaemon, startRealDaemon } from '../support/daemon.ts'

export interface Upload {
  name: string
  content: Uint8Array<ArrayBuffer> | string
}

/** A real daemon and the few calls that the measurements need, over plain REST. */
export interface Instance {
  daemon: RealDaemon
  /** Uploads and waits until all of it can be searched; throws when any file was refused or failed. */
  load(project: string, files: readonly Upload[]): Promise<void>
  search(request: SearchRequest): Promise<SearchAnswer>
  /** The same data under other settings. */
  restart(env: Record<string, string>): Promise<void>
  dispose(): Promise<void>
}

/** A few, so that the first are read while others are still on their way. */
const FILES_PER_REQUEST = 4

export async function startInstance(
  args: string[] = ['--embedder', 'builtin'],
  env: Record<string, string> = {},
): Promise<Instance> {
  const start = (more: { home?: string; env: Record<string, string> }) =>
    startRealDaemon({ args: [...args, '--log-level', 'warn'], ...more })
  let daemon = await start({ env })
  const token = await daemon.token()
  const headers = { Authorization: `Bearer ${token}` }
  const call = async (path: string, init: RequestInit): Promise<unknown> => {
    const answer = await fetch(daemon.url + path, init)
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  return {
    get daemon() {
      return daemon
    },
    async load(project, files) {
      // As the command line waits: asking again and again would cost the instance what is to be measured.
      const failed: string[] = []
      const client = createClient({ server: daemon.url, token })
      const watch = new DocumentWatch(client, new AbortController().signal, ({ status, name }) => {
        if (status === 'failed') failed.push(name)
      })
      try {
        for (let i = 0; i < files.length; i += FILES_PER_REQUEST) {
          const { type, body } = multipart(project, files.slice(i, i + FILES_PER_REQUEST))
          const { documents, rejected } = (await call('/api/v1/upload', {
            method: 'POST',
            headers: { ...headers, 'Content-Type': type },
            body,
          })) as UploadAnswer
          if (rejected.length > 0) throw new Error(`refused: ${JSON.stringify(rejected)}`)
          for (const document of documents) watch.add(document)
        }
        await watch.settled()
      } finally {
        watch.close()
      }
      if (failed.length > 0) throw new Error(`failed in ${project}: ${failed.join(', ')}`)
    },
    async search(request) {
      return (await call('/api/v1/search', {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(request),
      })) as SearchAnswer
    },
    async restart(changed) {
      await daemon.stop()
      daemon = await start({ home: dirname(daemon.dataDir), env: changed })
    },
    dispose: () => daemon.dispose(),
  }
}

/** Runs `work` over all items, at most `width` at a time, results in order. */
export async function inParallel<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = Array.from({ length: items.length })
  let next = 0
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i]!)
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}

/** In one piece: a FormData of Blobs costs the client as much of the processor as the instance takes to receive it, and both share it here. */
function multipart(project: string, files: readonly Upload[]): { type: string; body: Buffer<ArrayBuffer> } {
  const boundary = 'docsearch-quality-3b1f0c'
  const part = (disposition: string) => Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`)
  const end = Buffer.from('\r\n')
  const parts = files.flatMap(({ name, content }) => [part(`name="file"; filename="${name}"`), Buffer.from(content), end])
  const body = Buffer.concat([part('name="project"'), Buffer.from(project), end, ...parts, Buffer.from(`--${boundary}--\r\n`)])
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}
