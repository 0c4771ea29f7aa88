import type { Document } from '../../contract/documents.ts'

export interface DocsearchOptions {
  /** The address of the instance, such as `https://docs.example.org`. */
  url: string
  /** An API key. */
  apiKey?: string
  /**
   * An OAuth access token, or a function that returns one. The function is called before each request. If the instance refuses the token, it is
   * called again with this token, and the request is sent once more.
   */
  accessToken?: string | ((refused?: string) => string | Promise<string>)
  /** Aborts every call. */
  signal?: AbortSignal
  /** Milliseconds without a byte in either direction after which a call fails. Default: 120,000. */
  timeoutMs?: number
  /** How often a call that failed is tried again. Default: 4. */
  retries?: number
  /** Certificates of further authorities to trust, in PEM format. */
  certificates?: string
  /** The name of your program, such as `archive/1.2`. */
  userAgent?: string
}

export interface CallOptions {
  /** Aborts this call. */
  signal?: AbortSignal | undefined
}

/** A file to upload: its path on this machine or its `file:` URL, a `File`, or a name with its content. */
export type FileSource = string | URL | File | { name: string; content: Blob | Uint8Array | ArrayBuffer | string }

export interface UploadSettings extends CallOptions {
  /** ID or name. A project with a new name is created. Default: `default`. */
  project?: string
  tags?: readonly string[]
  /** Identifies the document in its project: for several files one path each, in order. Default: the name of the file. */
  path?: string | readonly string[]
  /**
   * What to do if another file has the path: `replace` its content, `keep` both, or refuse with an `error`. Default: `replace`. The same bytes are
   * always `unchanged`.
   */
  onConflict?: 'replace' | 'keep' | 'error'
}

export interface WaitSettings {
  /** How long to wait. Without it, as long as it takes. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Called when the status of a document changes. */
  onChange?: (document: Document) => void
}

export interface EventSettings {
  /** Continues after this event, without a gap. Without it, the stream starts with new events. */
  lastEventId?: number
  signal?: AbortSignal
  /** Called when the instance no longer stores all events since the last one. List the documents again. */
  onMissed?: () => void
}
