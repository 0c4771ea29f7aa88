import { closeSync, openSync, readSync, statSync } from 'node:fs'

const CLASSES = { PUT: /Put|Upload|Copy/, LIST: /List/, DELETE: /Delete|Abort/, GET: /Get|Head/ } as const

/** Most stores have one price for PUT and LIST, a lower one for GET and HEAD, and none for DELETE. */
export type RequestClass = keyof typeof CLASSES

export interface StoreRequest {
  class: RequestClass
  /** The first part of the key: `blobs`, `segments`, `lance` or `probe`, and `commits` for the log of an index. */
  what: string
  /** The name that the process gives the AWS SDK. Null for a request of LanceDB. */
  process: string | null
  /** Bytes that a PUT stores. The log does not have the bytes that a GET returns. */
  bytes: number
}

/** Reads the access log of versitygw, whose lines have the format of Amazon S3. */
export class StoreLog {
  readonly #path: string
  #read = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Returns the requests since the last call. */
  take(): { requests: StoreRequest[]; logBytes: number } {
    const { size } = statSync(this.#path)
    const buffer = Buffer.alloc(size - this.#read)
    const file = openSync(this.#path, 'r')
    try {
      readSync(file, buffer, 0, buffer.length, this.#read)
    } finally {
      closeSync(file)
    }
    const text = buffer.toString('latin1')
    const complete = text.slice(0, text.lastIndexOf('\n') + 1)
    this.#read += complete.length
    return { requests: complete.split('\n').flatMap(requestOf), logBytes: complete.length }
  }
}

function requestOf(line: string): StoreRequest[] {
  const [, operation, key, uri, size, rest] = / s3_(\w+) (\S+) (\S+) \d+ \S+ \d+ (\d+) (.*)/.exec(line) ?? []
  if (operation === undefined) return []
  const found = Object.entries(CLASSES).find(([, pattern]) => pattern.test(operation))
  if (found === undefined) throw new Error(`unknown operation in the access log of the store: ${operation}`)
  const path = decodeURIComponent(key === '-' ? (/prefix=([^&]*)/.exec(uri!)?.[1] ?? '') : key!)
  const [, what = ''] = path.split('/')
  return [
    {
      class: found[0] as RequestClass,
      what: path.includes('/log/') ? 'commits' : what,
      process: / app\/(\S+)/.exec(rest!)?.[1] ?? null,
      bytes: found[0] === 'PUT' ? Number(size) : 0,
    },
  ]
}

/** Returns for example `PUT 12, LIST 3, GET 4`, for each of `per`. */
export function countRequests(requests: readonly StoreRequest[], per: number): string {
  const counts = Object.keys(CLASSES).map((name) => [name, requests.filter((request) => request.class === name).length] as const)
  return counts.map(([name, count]) => `${name} ${(count / per).toFixed(2)}`).join(', ')
}
