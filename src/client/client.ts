import type { IncomingMessage } from 'node:http'
import type { ApiKeyCreate, ApiKeyCreated, ApiKeyList, Health, Me } from '../contract/account.ts'
import type {
  ConnectionList,
  OAuthClient,
  OAuthClientCreate,
  OAuthClientCreated,
  OAuthClientList,
  OAuthClientRotate,
  OAuthClientRotated,
  OAuthClientUpdate,
} from '../contract/clients.ts'
import type { Document, DocumentEvent, DocumentList, UploadAnswer } from '../contract/documents.ts'
import type { ModelList, ModelPullLine, ModelUsed } from '../contract/models.ts'
import type { Project, ProjectCreate, ProjectDeleted, ProjectList, ProjectUpdate } from '../contract/projects.ts'
import type { SearchAnswer, SearchRequest } from '../contract/search.ts'
import type { User, UserCreate, UserCreated, UserDeleted, UserList, UserReset, UserUpdate } from '../contract/users.ts'
import { normaliseAddress } from './address.ts'
import { ClientError } from './errors.ts'
import type { OnProgress, UploadFile } from './multipart.ts'
import { createTransport, readAll } from './transport.ts'
import type { Call, StreamBody, TokenSource } from './transport.ts'
import type { EventOptions } from './events.ts'

export interface ClientOptions {
  server: string
  /** API key or access token, or what gives one for each request; null for the endpoints that need none. */
  token: string | TokenSource | null
  /** Of the program that calls, e.g. `docsearch/0.1.0`. */
  userAgent?: string
  /** Ends every call. */
  signal?: AbortSignal
  connectMs?: number
  idleMs?: number
}

export interface Page {
  limit?: number
  cursor?: string
}

export interface DocumentFilter extends Page {
  project?: string | undefined
  status?: Document['status'] | undefined
  /** Only documents with warnings, or only those without. */
  warnings?: boolean
  name?: string | undefined
  sha256?: string
}

export interface UploadOptions {
  project?: string
  tags?: readonly string[]
  onConflict?: 'replace' | 'keep' | 'error'
  /** Seconds for the instance to wait for processing before it answers (RFC 7240). */
  waitSeconds?: number
  onProgress?: OnProgress
  signal?: AbortSignal
}

export type Client = ReturnType<typeof createClient>

/**
 * One method for each endpoint of contract 1.3. Every method throws ClientError. The schemas are the contract's, as types: an answer is checked
 * for its outline only, because loading zod would double the time of a search.
 */
export function createClient(options: ClientOptions) {
  const address = normaliseAddress(options.server)
  const transport = createTransport({
    address,
    token: checkedToken(options.token),
    userAgent: options.userAgent ?? 'docsearch-client',
    ...(options.connectMs === undefined ? {} : { connectMs: options.connectMs }),
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
  })
  const signal = options.signal

  /** A JSON answer that has at least these members. */
  async function get<T>(call: Call, ...members: (keyof T & string)[]): Promise<T> {
    const value = await transport.json({ signal, ...call })
    const missing = members.find((member) => value === null || !(member in value))
    if (missing === undefined) return value as T
    throw new ClientError('invalid_answer', `The answer of ${address} has no "${missing}"; is it a docsearch of another version?`)
  }

  async function run(call: Call): Promise<void> {
    const answer = await transport.open({ signal, ...call })
    await readAll(answer, address, signal)
  }

  const documentPath = (id: string) => `/api/v1/documents/${encodeURIComponent(id)}`
  const projectPath = (id: string) => `/api/v1/projects/${encodeURIComponent(id)}`
  const clientPath = (id: string) => `/api/v1/clients/${encodeURIComponent(id)}`
  const userPath = (idOrEmail: string) => `/api/v1/users/${encodeURIComponent(idOrEmail)}`

  function upload(
    call: { query?: NonNullable<Call['query']>; body: StreamBody },
    settings: UploadOptions,
  ): Promise<UploadAnswer> {
    return get<UploadAnswer>(
      {
        method: 'POST',
        path: '/api/v1/upload',
        ...call,
        headers: settings.waitSeconds === undefined ? {} : { Prefer: `wait=${settings.waitSeconds}` },
        signal: settings.signal ?? signal,
      },
      'documents',
      'rejected',
    )
  }

  return {
    address,

    search: (request: SearchRequest): Promise<SearchAnswer> =>
      get<SearchAnswer>({ method: 'POST', path: '/api/v1/search', json: request }, 'results', 'pending_documents'),

    projects: {
      list: (page: Page = {}) =>
        get<ProjectList>({ method: 'GET', path: '/api/v1/projects', query: { ...page } }, 'projects', 'next_cursor'),
      create: (project: ProjectCreate) => get<Project>({ method: 'POST', path: '/api/v1/projects', json: project }, 'id', 'name'),
      get: (idOrName: string) => get<Project>({ method: 'GET', path: projectPath(idOrName) }, 'id', 'name'),
      update: (idOrName: string, change: ProjectUpdate) =>
        get<Project>({ method: 'PATCH', path: projectPath(idOrName), json: change }, 'id', 'name'),
      delete: (idOrName: string) => get<ProjectDeleted>({ method: 'DELETE', path: projectPath(idOrName) }, 'documents_deleted'),
    },

    /** Multipart, streamed. Within the instance's limits for a request; the answer lists what it took and what it refused. */
    async upload(files: readonly UploadFile[], settings: UploadOptions = {}): Promise<UploadAnswer> {
      const { multipart } = await import('./multipart.ts')
      const fields = [...uploadFields(settings), ...files.map((file) => ['path', file.path] as const)]
      return upload({ body: multipart(fields, files, settings.onProgress) }, settings)
    },

    /** One file as the raw body, of unknown length if need be. */
    uploadRaw(file: { name: string; path?: string; body: StreamBody }, settings: UploadOptions = {}): Promise<UploadAnswer> {
      const query: Record<string, string> = { ...Object.fromEntries(uploadFields(settings)), name: file.name }
      if (file.path !== undefined) query['path'] = file.path
      return upload({ query, body: file.body }, settings)
    },

    documents: {
      list: (filter: DocumentFilter = {}) =>
        get<DocumentList>({ method: 'GET', path: '/api/v1/documents', query: { ...filter } }, 'documents', 'next_cursor'),
      get: (id: string) => get<Document>({ method: 'GET', path: documentPath(id) }, 'id', 'status'),
      delete: (id: string) => run({ method: 'DELETE', path: documentPath(id) }),
      /** The original bytes, unread. */
      content: (id: string): Promise<IncomingMessage> =>
        transport.open({ method: 'GET', path: `${documentPath(id)}/content`, signal }),
      /** What was extracted; pages parted by a form feed. */
      async text(id: string, page?: number): Promise<string> {
        return readAll(
          await transport.open({ method: 'GET', path: `${documentPath(id)}/text`, query: { page }, signal }),
          address,
          signal,
        )
      },
      reprocess: (id: string) => get<Document>({ method: 'POST', path: `${documentPath(id)}/reprocess` }, 'id', 'status'),
    },

    async *events(settings: EventOptions = {}): AsyncGenerator<DocumentEvent> {
      const { readEvents } = await import('./events.ts')
      yield* readEvents(transport, signal === undefined ? settings : { signal, ...settings })
    },

    keys: {
      list: (page: Page = {}) =>
        get<ApiKeyList>({ method: 'GET', path: '/api/v1/keys', query: { ...page } }, 'keys', 'next_cursor'),
      create: (key: ApiKeyCreate) => get<ApiKeyCreated>({ method: 'POST', path: '/api/v1/keys', json: key }, 'id', 'key'),
      delete: (id: string) => run({ method: 'DELETE', path: `/api/v1/keys/${encodeURIComponent(id)}` }),
    },

    /** Applications of the caller that may ask users for access. */
    clients: {
      list: () => get<OAuthClientList>({ method: 'GET', path: '/api/v1/clients' }, 'clients'),
      create: (application: OAuthClientCreate) =>
        get<OAuthClientCreated>({ method: 'POST', path: '/api/v1/clients', json: application }, 'client_id', 'name'),
      get: (id: string) => get<OAuthClient>({ method: 'GET', path: clientPath(id) }, 'client_id', 'name'),
      update: (id: string, change: OAuthClientUpdate) =>
        get<OAuthClient>({ method: 'PATCH', path: clientPath(id), json: change }, 'client_id', 'name'),
      rotate: (id: string, settings: OAuthClientRotate = {}) =>
        get<OAuthClientRotated>(
          { method: 'POST', path: `${clientPath(id)}/rotate`, json: settings },
          'client_id',
          'client_secret',
        ),
      delete: (id: string) => run({ method: 'DELETE', path: clientPath(id) }),
    },

    /** Applications that can act for the caller. */
    connections: {
      list: () => get<ConnectionList>({ method: 'GET', path: '/api/v1/connections' }, 'connections'),
      delete: (id: string) => run({ method: 'DELETE', path: `/api/v1/connections/${encodeURIComponent(id)}` }),
    },

    /** For the owner of the instance. */
    users: {
      list: (page: Page = {}) =>
        get<UserList>({ method: 'GET', path: '/api/v1/users', query: { ...page } }, 'users', 'next_cursor'),
      create: (person: UserCreate) => get<UserCreated>({ method: 'POST', path: '/api/v1/users', json: person }, 'id', 'role'),
      get: (idOrEmail: string) => get<User>({ method: 'GET', path: userPath(idOrEmail) }, 'id', 'role'),
      update: (idOrEmail: string, change: UserUpdate) =>
        get<User>({ method: 'PATCH', path: userPath(idOrEmail), json: change }, 'id', 'role'),
      reset: (idOrEmail: string) =>
        get<UserReset>({ method: 'POST', path: `${userPath(idOrEmail)}/reset` }, 'id', 'invitation_url'),
      delete: (idOrEmail: string) => get<UserDeleted>({ method: 'DELETE', path: userPath(idOrEmail) }, 'documents_deleted'),
    },

    /** All but `list` are for the owner of the instance. */
    models: {
      list: () => get<ModelList>({ method: 'GET', path: '/api/v1/models' }, 'models'),
      /** Progress of the whole; ends after `success`, throws ClientError for a failure in the middle too. Leaving the loop ends the download. */
      async *pull(model: string): AsyncGenerator<ModelPullLine> {
        const { readPull } = await import('./pull.ts')
        yield* readPull(transport, model, signal)
      },
      // A model that nobody knows is asked for its dimensions, and may have to be loaded for that.
      use: (model: string) =>
        get<ModelUsed>({ method: 'POST', path: '/api/v1/models/use', json: { model }, idleMs: 180_000 }, 'model', 'state'),
      remove: (model: string) => run({ method: 'DELETE', path: `/api/v1/models/${encodeURIComponent(model)}` }),
    },

    me: () => get<Me>({ method: 'GET', path: '/api/v1/me' }, 'user', 'scopes', 'authentication'),

    /** Also when it is unavailable (503): then from the problem's place. */
    health: () => get<Health>({ method: 'GET', path: '/api/v1/health' }, 'status', 'version'),
  }
}

function uploadFields(settings: UploadOptions): (readonly [string, string])[] {
  const fields: (readonly [string, string])[] = []
  if (settings.project !== undefined) fields.push(['project', settings.project])
  if (settings.tags !== undefined && settings.tags.length > 0) fields.push(['tags', settings.tags.join(',')])
  if (settings.onConflict !== undefined) fields.push(['on_conflict', settings.onConflict])
  return fields
}

/** What may stand in a header. The token itself is never part of a message. */
function checkedToken<T extends ClientOptions['token']>(token: T): T {
  if (typeof token !== 'string' || /^[\x21-\x7e]+$/.test(token)) return token
  throw new ClientError('invalid_credential', 'The credential has characters that no key has; copy it again.')
}
