import type { Health } from '../../src/contract/account.ts'
import type { Problem } from '../../src/contract/common.ts'
import type { Document, DocumentList, UploadAnswer } from '../../src/contract/documents.ts'
import type { Project } from '../../src/contract/projects.ts'
import type { SearchAnswer, SearchRequest } from '../../src/contract/search.ts'
import { until } from './until.ts'

export interface Answer<T> {
  status: number
  headers: Headers
  body: T
}

export interface TestFile {
  name: string
  content: string | Uint8Array<ArrayBuffer>
}

/** The REST API by plain `fetch`, without the project's client, as other programs see it. A call rejects if the daemon dies. */
export interface Rest {
  url: string
  call<T = Problem>(
    method: string,
    path: string,
    body?: RequestInit['body'] | object,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>
  /** Uploads these files in one request. The name of each file is its path. */
  upload(files: TestFile[], options?: { project?: string; wait?: boolean }): Promise<Answer<UploadAnswer & Partial<Problem>>>
  search(query: string, options?: Omit<SearchRequest, 'query'>): Promise<SearchAnswer>
  /** Returns all documents, or all of the trash, over all result pages. */
  documents(options?: { trashed?: boolean }): Promise<Document[]>
  document(id: string): Promise<Document>
  project(name: string): Promise<Project>
  health(): Promise<Health>
  /** Waits until no document is queued or processing, and returns all documents. */
  settled(withinMs?: number): Promise<Document[]>
}

export function rest(url: string, token: string): Rest {
  async function call<T>(
    method: string,
    path: string,
    body?: RequestInit['body'] | object,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const plain = body !== null && typeof body === 'object' && Object.getPrototypeOf(body) === Object.prototype
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(plain && { 'content-type': 'application/json' }), ...headers },
      body: plain ? JSON.stringify(body) : ((body ?? null) as RequestInit['body'] & {}),
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as T }
  }
  async function good<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await call<T>(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const self: Rest = {
    url,
    call,
    async upload(files, { project = 'default', wait = false } = {}) {
      const form = new FormData()
      form.set('project', project)
      for (const { name, content } of files) form.append('file', new Blob([content]), name)
      return await call('POST', '/api/v1/upload', form, wait ? { prefer: 'wait=30' } : {})
    },
    search: (query, options = {}) => good('POST', '/api/v1/search', { query, ...options }),
    async documents({ trashed = false } = {}) {
      const all: Document[] = []
      let cursor: string | null = null
      do {
        const page: DocumentList = await good(
          'GET',
          `/api/v1/documents?limit=100&trashed=${trashed}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
        )
        all.push(...page.documents)
        cursor = page.next_cursor
      } while (cursor)
      return all
    },
    document: (id) => good('GET', `/api/v1/documents/${id}`),
    project: (name) => good('GET', `/api/v1/projects/${name}`),
    async health() {
      return (await call<Health>('GET', '/api/v1/health')).body
    },
    settled: (withinMs) =>
      until(
        'every document ready or failed',
        async () => {
          const all = await self.documents()
          return all.every(({ status }) => status === 'ready' || status === 'failed') && all
        },
        withinMs,
      ),
  }
  return self
}
