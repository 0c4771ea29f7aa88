import { dirname } from 'node:path'
import pLimit from 'p-limit'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import type { UploadAnswer } from '../../src/contract/documents.ts'
import type { ProjectList } from '../../src/contract/projects.ts'
import { DocumentWatch } from '../../src/client/document-watch.ts'
import { createClient } from '../../src/client/client.ts'
import { type RealDaemon, startRealDaemon } from '../support/daemon.ts'

export interface Upload {
  name: string
  content: Uint8Array<ArrayBuffer> | string
}

/** A real daemon, and the few REST calls that the measurements need. */
export interface Instance {
  daemon: RealDaemon
  token: string
  /** Uploads files and waits until all are searchable. Throws when a file is refused or fails. */
  load(project: string, files: readonly Upload[]): Promise<void>
  search(request: SearchRequest): Promise<SearchAnswer>
  /** Returns the number of passages in all projects. */
  countPassages(): Promise<number>
  /** Starts the daemon again on the same data, with other settings. */
  restart(env: Record<string, string>): Promise<void>
  dispose(): Promise<void>
}

/** A few files a request, so that the daemon reads the first while others are still being sent. */
const FILES_PER_REQUEST = 4

/** `bin`: the binary of another checkout, to compare it with this one. */
export async function startInstance(
  args: string[] = ['--embedder', 'builtin'],
  env: Record<string, string> = {},
  bin?: string,
): Promise<Instance> {
  const start = (more: { home?: string; env: Record<string, string> }) =>
    startRealDaemon({ args: [...args, '--log-level', 'warn'], ...(bin && { bin }), ...more })
  let daemon = await start({ env })
  const token = await daemon.token()
  const headers = { Authorization: `Bearer ${token}` }
  const call = (path: string, init: RequestInit) => callAt(daemon.url, path, init)
  return {
    get daemon() {
      return daemon
    },
    token,
    load: (project, files) => loadFiles({ url: daemon.url, token }, project, files),
    async search(request) {
      return (await call('/api/v1/search', {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(request),
      })) as SearchAnswer
    },
    async countPassages() {
      const { projects } = (await call('/api/v1/projects', { headers })) as ProjectList
      return projects.reduce((sum, { chunk_count }) => sum + chunk_count, 0)
    },
    async restart(changed) {
      await daemon.stop()
      daemon = await start({ home: dirname(daemon.dataDir), env: changed })
    },
    dispose: () => daemon.dispose(),
  }
}

/** Uploads files to an instance and waits until all are searchable. Throws when a file is refused or fails. */
export async function loadFiles(
  { url, token }: { url: string; token: string },
  project: string,
  files: readonly Upload[],
): Promise<void> {
  // Listens for events like the command line: polling would slow down the instance that is measured.
  const failed: string[] = []
  const client = createClient({ server: url, dataDir: null, token })
  const watch = new DocumentWatch(client, {
    signal: new AbortController().signal,
    onChange: ({ status, name }) => {
      if (status === 'failed') failed.push(name)
    },
  })
  try {
    for (let i = 0; i < files.length; i += FILES_PER_REQUEST) {
      const { type, body } = multipart(project, files.slice(i, i + FILES_PER_REQUEST))
      const { documents, rejected } = (await callAt(url, '/api/v1/upload', {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
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
}

async function callAt(url: string, path: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url + path, init)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

/** Runs `work` on all items, at most `width` at a time. Returns the results in order. */
export function inParallel<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const limit = pLimit(width)
  return Promise.all(items.map((item) => limit(() => work(item))))
}

/** Builds the body in one piece: a FormData of Blobs takes as much processor time as the instance, and both share the processor. */
function multipart(project: string, files: readonly Upload[]): { type: string; body: Buffer<ArrayBuffer> } {
  const boundary = 'docsearch-quality-3b1f0c'
  const part = (disposition: string) => Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`)
  const end = Buffer.from('\r\n')
  const parts = files.flatMap(({ name, content }) => [part(`name="file"; filename="${name}"`), Buffer.from(content), end])
  const body = Buffer.concat([part('name="project"'), Buffer.from(project), end, ...parts, Buffer.from(`--${boundary}--\r\n`)])
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}
