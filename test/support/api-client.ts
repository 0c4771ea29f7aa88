import { expect } from 'vitest'
import type { UploadAnswer } from '../../src/contract/documents.ts'
import { checkAnswer } from './check-answer.ts'

export interface ApiAnswer<T = Record<string, unknown>> {
  status: number
  headers: Headers
  /** The parsed body if it is JSON, else the text. */
  body: T
}

export interface UploadFile {
  name: string
  content: string | Uint8Array<ArrayBuffer>
}

export interface ApiClient {
  key: string | null
  /** Sends a request and checks the answer against the contract: schema, documented status and code, headers. */
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    options?: { json?: unknown; body?: BodyInit; headers?: Record<string, string> },
  ): Promise<ApiAnswer<T>>
  get<T = Record<string, unknown>>(path: string, headers?: Record<string, string>): Promise<ApiAnswer<T>>
  post<T = Record<string, unknown>>(path: string, json: unknown): Promise<ApiAnswer<T>>
  upload(
    files: readonly UploadFile[],
    fields?: Record<string, string | string[]>,
    headers?: Record<string, string>,
  ): Promise<ApiAnswer<UploadAnswer>>
  /** Uploads a file, waits until it is searchable and returns its id. */
  ready(name: string, content: UploadFile['content'], fields?: Record<string, string>): Promise<string>
  /** Opens an answer that does not end. Checks nothing. */
  open(path: string, headers?: Record<string, string>): Promise<Response>
}

export function apiClient(url: string, key: string | null): ApiClient {
  const credential: Record<string, string> = key === null ? {} : { Authorization: `Bearer ${key}` }

  const client: ApiClient = {
    key,
    async call<T>(
      method: string,
      path: string,
      { json, body, headers = {} }: { json?: unknown; body?: BodyInit; headers?: Record<string, string> } = {},
    ) {
      const sent = json === undefined ? body : JSON.stringify(json)
      const type: Record<string, string> = json === undefined ? {} : { 'Content-Type': 'application/json' }
      const response = await fetch(url + path, {
        method,
        headers: { ...credential, ...type, ...headers },
        ...(sent === undefined ? {} : { body: sent }),
      })
      const text = await response.text()
      const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
      const answer: ApiAnswer<T> = {
        status: response.status,
        headers: response.headers,
        body: (isJson && text !== '' ? JSON.parse(text) : text) as T,
      }
      checkAnswer(method, path, answer)
      return answer
    },
    get: (path, headers) => client.call('GET', path, headers === undefined ? {} : { headers }),
    post: (path, json) => client.call('POST', path, { json }),
    upload(files, fields = {}, headers) {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) form.append(name, one)
      for (const { name, content } of files) form.append('file', new Blob([content]), name)
      return client.call<UploadAnswer>('POST', '/api/v1/upload', headers === undefined ? { body: form } : { body: form, headers })
    },
    async ready(name, content, fields) {
      const { status, body } = await client.upload([{ name, content }], fields, { Prefer: 'wait=60' })
      expect({ status, statuses: body.documents.map((document) => document.status), rejected: body.rejected }).toEqual({
        status: 200,
        statuses: ['ready'],
        rejected: [],
      })
      return body.documents[0]!.id
    },
    open: (path, headers = {}) => fetch(url + path, { headers: { ...credential, ...headers } }),
  }
  return client
}
