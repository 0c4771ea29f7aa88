import type { IncomingMessage } from 'node:http'
import type { AuditFilter, AuditList } from '../contract/audit.ts'
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
import type {
  Document,
  DocumentBatch,
  DocumentBatchAnswer,
  DocumentEvent,
  DocumentList,
  DocumentRestored,
  DocumentUpdate,
  UploadAnswer,
} from '../contract/documents.ts'
import type { DoctorProgress, DoctorReport, DoctorRequest } from '../contract/doctor.ts'
import type {
  MemberList,
  MemberSaved,
  Project,
  ProjectCreate,
  ProjectDeleted,
  ProjectList,
  ProjectUpdate,
  ProjectTakenOver,
  UnmanagedProjectList,
} from '../contract/projects.ts'
import type { ModelList, ModelPullLine, ModelTest, ModelUsed } from '../contract/models.ts'
import type { SearchAnswer, SearchRequest } from '../contract/search.ts'
import type { ProjectRole } from '../core/model.ts'
import type { Status } from '../contract/status.ts'
import type { UploadPlan, UploadPlanRequest } from '../contract/upload-plan.ts'
import type {
  Webhook,
  WebhookCreate,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookRotated,
  WebhookUpdate,
  WebhookWithSecret,
} from '../contract/webhooks.ts'
import type { SynonymList, SynonymsSaved, SynonymsSent } from '../contract/synonyms.ts'
import type {
  User,
  UserCreate,
  UserCreated,
  UserDeleted,
  UserDeletion,
  UserList,
  UserReset,
  UserUpdate,
} from '../contract/users.ts'
import { normaliseAddress } from './address.ts'
import { ClientError } from './errors.ts'
import type { DocumentFilter, ListRange } from './list-filters.ts'
import { mcpOf } from './mcp.ts'
import type { OnProgress, UploadFile } from './multipart.ts'
import {
  createTransport,
  readAll,
  type Call,
  type Connection,
  type StreamBody,
  type TokenSource,
  type Transport,
} from './transport.ts'
import type { EventOptions } from './events.ts'

export interface ClientOptions extends Partial<Connection> {
  server: string
  /**
   * The data folder, if this user's own daemon serves the address: requests then go through its socket. Null for other instances.
   */
  dataDir: string | null
  /** An API key, an access token, or a source of tokens; null for endpoints that need none. */
  token: string | TokenSource | null
  /** Aborts every call. */
  signal?: AbortSignal
  connectMs?: number
  idleMs?: number
}

export interface UploadOptions {
  project?: string
  tags?: readonly string[]
  onConflict?: 'replace' | 'keep' | 'error'
  /** How many seconds the instance waits for processing before it answers (RFC 7240). */
  waitSeconds?: number
  onProgress?: OnProgress
  signal?: AbortSignal
}

const BACKUP_IDLE_MS = 60 * 60_000

export type Client = ReturnType<typeof createClient>

/**
 * Creates a client with one method for each endpoint. Every method throws ClientError.
 * The schemas of the contract serve as types only: an answer is checked for its outline, because loading zod would double the time of a search.
 */
export function createClient(options: ClientOptions) {
  const api = new Api(options)
  return {
    address: api.address,
    /** The signal ends this search only. */
    search: (request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> =>
      api.get<SearchAnswer>(
        { method: 'POST', path: '/api/v1/search', json: request, ...(signal !== undefined && { signal }) },
        'results',
        'pending_documents',
      ),
    /** Answers the messages of an agent (Model Context Protocol). */
    mcp: mcpOf(api.transport),
    projects: projectMethods(api),
    synonyms: synonymMethods(api),
    webhooks: webhookMethods(api),
    ...uploadMethods(api),
    documents: documentMethods(api),
    async *events(settings: EventOptions = {}): AsyncGenerator<DocumentEvent> {
      const { readEvents } = await import('./events.ts')
      yield* readEvents(api.transport, api.signal === undefined ? settings : { signal: api.signal, ...settings })
    },
    keys: keyMethods(api),
    /** Applications of the caller that may ask users for access. */
    clients: applicationMethods(api),
    /** Applications that can act for the caller. */
    connections: connectionMethods(api),
    /** For the owner of the instance. */
    users: userMethods(api),
    audit: {
      list: (filter: AuditFilter = {}) =>
        api.get<AuditList>({ method: 'GET', path: '/api/v1/audit', query: { ...filter } }, 'events', 'next_cursor'),
    },
    /** Examines the instance, for its owner. */
    async doctor(request: DoctorRequest, onProgress: (progress: DoctorProgress) => void = () => {}): Promise<DoctorReport> {
      const { readDoctor } = await import('./json-lines.ts')
      return readDoctor(api.transport, request, { onProgress, signal: api.signal })
    },
    /** Takes a backup of the instance, for its owner. `known` are hashes of originals that need not be sent. */
    async backup({
      withVectors,
      known,
    }: {
      withVectors: boolean
      known: Iterable<string>
    }): Promise<{ stream: IncomingMessage; sizeBytes: number | null }> {
      const list = Buffer.from([...known].map((sha256) => `${sha256}\n`).join(''))
      const { Readable } = process.getBuiltinModule('node:stream')
      const stream = await api.open({
        method: 'POST',
        path: '/api/v1/backup',
        query: withVectors ? { with_vectors: true } : {},
        accept: 'application/x-tar',
        body: { contentType: 'text/plain', length: list.length, open: () => Readable.from(list.length === 0 ? [] : [list]) },
        // Copying a large database takes minutes, and nothing arrives before that.
        idleMs: BACKUP_IDLE_MS,
      })
      const size = Number(stream.headers['x-backup-bytes'])
      return { stream, sizeBytes: Number.isSafeInteger(size) ? size : null }
    },
    /** For the owner of the instance, except `list`. */
    models: modelMethods(api),
    me: () => api.get<Me>({ method: 'GET', path: '/api/v1/me' }, 'user', 'scopes', 'authentication'),
    status: () => api.get<Status>({ method: 'GET', path: '/api/v1/status' }, 'status', 'version', 'documents'),
    /** Throws ClientError with status 503 when the instance is unavailable. */
    health: () => api.get<Health>({ method: 'GET', path: '/api/v1/health' }, 'status', 'version'),
  }
}

/** Sends one request and reads its answer. */
class Api {
  readonly address: string
  readonly transport: Transport
  readonly signal: AbortSignal | undefined

  constructor({
    server,
    dataDir,
    token,
    userAgent = 'docsearch-client',
    certificates,
    connectMs,
    idleMs,
    signal,
  }: ClientOptions) {
    this.address = normaliseAddress(server)
    this.signal = signal
    this.transport = createTransport({
      address: this.address,
      dataDir,
      token: checkedToken(token),
      userAgent,
      certificates,
      ...(connectMs !== undefined && { connectMs }),
      ...(idleMs !== undefined && { idleMs }),
    })
  }

  /** Returns a JSON answer that has at least these members. */
  async get<T>(call: Call, ...members: (keyof T & string)[]): Promise<T> {
    const value = await this.transport.json({ signal: this.signal, ...call })
    const missing = members.find((member) => value === null || !(member in value))
    if (missing === undefined) return value as T
    throw new ClientError(
      'invalid_answer',
      `The answer of ${this.address} has no "${missing}". The instance may run another version of docsearch.`,
    )
  }

  /** Returns the body of an answer as text. */
  async text(call: Call): Promise<string> {
    return readAll(await this.open(call), this.address, this.signal)
  }

  /** Returns an answer with its body unread. */
  open(call: Call): Promise<IncomingMessage> {
    return this.transport.open({ signal: this.signal, ...call })
  }

  async delete(path: string): Promise<void> {
    await this.text({ method: 'DELETE', path })
  }
}

function projectMethods(api: Api) {
  const pathOf = (idOrName: string) => `/api/v1/projects/${encodeURIComponent(idOrName)}`
  const memberPath = (project: string, user: string) => `${pathOf(project)}/members/${encodeURIComponent(user)}`
  const unmanaged = '/api/v1/unmanaged-projects'
  return {
    list: (page: ListRange & { role?: ProjectRole | undefined } = {}) =>
      api.get<ProjectList>({ method: 'GET', path: '/api/v1/projects', query: { ...page } }, 'projects', 'next_cursor'),
    create: (project: ProjectCreate) =>
      api.get<Project>({ method: 'POST', path: '/api/v1/projects', json: project }, 'id', 'name'),
    get: (idOrName: string) => api.get<Project>({ method: 'GET', path: pathOf(idOrName) }, 'id', 'name'),
    update: (idOrName: string, change: ProjectUpdate) =>
      api.get<Project>({ method: 'PATCH', path: pathOf(idOrName), json: change }, 'id', 'name'),
    delete: (idOrName: string) => api.get<ProjectDeleted>({ method: 'DELETE', path: pathOf(idOrName) }, 'documents_deleted'),
    members: {
      list: (project: string) => api.get<MemberList>({ method: 'GET', path: `${pathOf(project)}/members` }, 'members'),
      set: (project: string, user: string, membership: { role: ProjectRole; invite: boolean }) =>
        api.get<MemberSaved>({ method: 'PUT', path: memberPath(project, user), json: membership }, 'user', 'role'),
      remove: (project: string, user: string) => api.delete(memberPath(project, user)),
    },
    /** For the owner of the instance, like `takeOver`. */
    listUnmanaged: (page: ListRange = {}) =>
      api.get<UnmanagedProjectList>({ method: 'GET', path: unmanaged, query: { ...page } }, 'projects', 'next_cursor'),
    takeOver: (id: string, user?: string) =>
      api.get<ProjectTakenOver>(
        { method: 'POST', path: `${unmanaged}/${encodeURIComponent(id)}/take-over`, json: { user } },
        'manager',
      ),
  }
}

function synonymMethods(api: Api) {
  const pathOf = (project: string) => `/api/v1/projects/${encodeURIComponent(project)}/synonyms`
  const save = (method: 'POST' | 'PUT', project: string, synonyms: SynonymsSent['synonyms']) =>
    api.get<SynonymsSaved>({ method, path: pathOf(project), json: { synonyms } }, 'synonyms', 'removed')
  return {
    list: (project: string, page: ListRange = {}) =>
      api.get<SynonymList>({ method: 'GET', path: pathOf(project), query: { ...page } }, 'synonyms', 'next_cursor'),
    add: (project: string, synonyms: SynonymsSent['synonyms']) => save('POST', project, synonyms),
    replace: (project: string, synonyms: SynonymsSent['synonyms']) => save('PUT', project, synonyms),
    delete: (project: string, id: string) => api.delete(`${pathOf(project)}/${encodeURIComponent(id)}`),
  }
}

function webhookMethods(api: Api) {
  const pathOf = (project: string, id?: string) =>
    `/api/v1/projects/${encodeURIComponent(project)}/webhooks${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
  const deliveryPath = (project: string, id: string, delivery: string) =>
    `${pathOf(project, id)}/deliveries/${encodeURIComponent(delivery)}`
  const delivery = (method: 'GET' | 'POST', path: string) => api.get<WebhookDelivery>({ method, path }, 'id', 'attempts')
  return {
    list: (project: string) => api.get<WebhookList>({ method: 'GET', path: pathOf(project) }, 'webhooks'),
    create: (project: string, fields: WebhookCreate) =>
      api.get<WebhookWithSecret>({ method: 'POST', path: pathOf(project), json: fields }, 'id', 'secret'),
    update: (project: string, id: string, change: WebhookUpdate) =>
      api.get<Webhook>({ method: 'PATCH', path: pathOf(project, id), json: change }, 'id', 'events'),
    rotate: (project: string, id: string, graceSeconds?: number) =>
      api.get<WebhookRotated>(
        { method: 'POST', path: `${pathOf(project, id)}/rotate`, json: { grace_seconds: graceSeconds } },
        'id',
        'secret',
      ),
    delete: (project: string, id: string) => api.delete(pathOf(project, id)),
    test: (project: string, id: string) => delivery('POST', `${pathOf(project, id)}/test`),
    deliveries: (project: string, id: string, page: ListRange & { state?: WebhookDelivery['state'] } = {}) =>
      api.get<WebhookDeliveryList>(
        { method: 'GET', path: `${pathOf(project, id)}/deliveries`, query: { ...page } },
        'deliveries',
        'next_cursor',
      ),
    delivery: (project: string, id: string, one: string) => delivery('GET', deliveryPath(project, id, one)),
    redeliver: (project: string, id: string, one: string) => delivery('POST', `${deliveryPath(project, id, one)}/redeliver`),
  }
}

function uploadMethods(api: Api) {
  const upload = (
    call: { query?: NonNullable<Call['query']>; body: StreamBody },
    { waitSeconds, signal = api.signal }: UploadOptions,
  ): Promise<UploadAnswer> => {
    const headers = waitSeconds === undefined ? {} : { Prefer: `wait=${waitSeconds}` }
    return api.get<UploadAnswer>({ method: 'POST', path: '/api/v1/upload', ...call, headers, signal }, 'documents', 'rejected')
  }
  return {
    /** Streams files as multipart/form-data, within the instance's limits for a request. The answer lists the accepted and the refused files. */
    async upload(files: readonly UploadFile[], settings: UploadOptions = {}): Promise<UploadAnswer> {
      const { multipart } = await import('./multipart.ts')
      const fields = [...uploadFields(settings), ...files.map((file) => ['path', file.path] as const)]
      return upload({ body: multipart(fields, files, settings.onProgress) }, settings)
    },

    /** Asks what an upload of these files would do. At most `MAX_PLANNED_FILES` at once. */
    planUpload: (request: UploadPlanRequest): Promise<UploadPlan> =>
      api.get<UploadPlan>({ method: 'POST', path: '/api/v1/upload/plan', json: request }, 'files'),

    /** Sends one file as the raw body; its length may be unknown. */
    uploadRaw(file: { name: string; path?: string; body: StreamBody }, settings: UploadOptions = {}): Promise<UploadAnswer> {
      const query: Record<string, string> = { ...Object.fromEntries(uploadFields(settings)), name: file.name }
      if (file.path !== undefined) query['path'] = file.path
      return upload({ query, body: file.body }, settings)
    },
  }
}

function documentMethods(api: Api) {
  const pathOf = (id: string) => `/api/v1/documents/${encodeURIComponent(id)}`
  return {
    list: (filter: DocumentFilter = {}) =>
      api.get<DocumentList>({ method: 'GET', path: '/api/v1/documents', query: { ...filter } }, 'documents', 'next_cursor'),
    get: (id: string) => api.get<Document>({ method: 'GET', path: pathOf(id) }, 'id', 'status'),
    update: (id: string, change: DocumentUpdate) =>
      api.get<Document>({ method: 'PATCH', path: pathOf(id), json: change }, 'id', 'status'),
    delete: (id: string, { permanent }: { permanent: boolean } = { permanent: false }) =>
      api.delete(permanent ? `${pathOf(id)}?permanent=true` : pathOf(id)),
    /** Does the same with up to 1,000 documents. */
    batch: (batch: DocumentBatch) =>
      api.get<DocumentBatchAnswer>({ method: 'POST', path: '/api/v1/documents/batch', json: batch }, 'results'),
    restore: (id: string) => api.get<DocumentRestored>({ method: 'POST', path: `${pathOf(id)}/restore` }, 'id', 'status'),
    /** Returns the original bytes as a stream. */
    content: (id: string) => api.open({ method: 'GET', path: `${pathOf(id)}/content` }),
    /** Returns the extracted text, with form feeds between pages. */
    text: (id: string, page?: number) => api.text({ method: 'GET', path: `${pathOf(id)}/text`, query: { page } }),
    reprocess: (id: string) => api.get<Document>({ method: 'POST', path: `${pathOf(id)}/reprocess` }, 'id', 'status'),
  }
}

function keyMethods(api: Api) {
  return {
    list: (page: ListRange = {}) =>
      api.get<ApiKeyList>({ method: 'GET', path: '/api/v1/keys', query: { ...page } }, 'keys', 'next_cursor'),
    create: (key: ApiKeyCreate) => api.get<ApiKeyCreated>({ method: 'POST', path: '/api/v1/keys', json: key }, 'id', 'key'),
    delete: (id: string) => api.delete(`/api/v1/keys/${encodeURIComponent(id)}`),
  }
}

function applicationMethods(api: Api) {
  const pathOf = (id: string) => `/api/v1/clients/${encodeURIComponent(id)}`
  return {
    list: () => api.get<OAuthClientList>({ method: 'GET', path: '/api/v1/clients' }, 'clients'),
    create: (application: OAuthClientCreate) =>
      api.get<OAuthClientCreated>({ method: 'POST', path: '/api/v1/clients', json: application }, 'client_id', 'name'),
    get: (id: string) => api.get<OAuthClient>({ method: 'GET', path: pathOf(id) }, 'client_id', 'name'),
    update: (id: string, change: OAuthClientUpdate) =>
      api.get<OAuthClient>({ method: 'PATCH', path: pathOf(id), json: change }, 'client_id', 'name'),
    rotate: (id: string, settings: OAuthClientRotate = {}) =>
      api.get<OAuthClientRotated>({ method: 'POST', path: `${pathOf(id)}/rotate`, json: settings }, 'client_id', 'client_secret'),
    delete: (id: string) => api.delete(pathOf(id)),
  }
}

function connectionMethods(api: Api) {
  return {
    list: () => api.get<ConnectionList>({ method: 'GET', path: '/api/v1/connections' }, 'connections'),
    delete: (id: string) => api.delete(`/api/v1/connections/${encodeURIComponent(id)}`),
  }
}

function userMethods(api: Api) {
  const pathOf = (idOrEmail: string) => `/api/v1/users/${encodeURIComponent(idOrEmail)}`
  return {
    list: (page: ListRange = {}) =>
      api.get<UserList>({ method: 'GET', path: '/api/v1/users', query: { ...page } }, 'users', 'next_cursor'),
    create: (user: UserCreate) => api.get<UserCreated>({ method: 'POST', path: '/api/v1/users', json: user }, 'id', 'role'),
    get: (idOrEmail: string) => api.get<User>({ method: 'GET', path: pathOf(idOrEmail) }, 'id', 'role'),
    update: (idOrEmail: string, change: UserUpdate) =>
      api.get<User>({ method: 'PATCH', path: pathOf(idOrEmail), json: change }, 'id', 'role'),
    reset: (idOrEmail: string) =>
      api.get<UserReset>({ method: 'POST', path: `${pathOf(idOrEmail)}/reset` }, 'id', 'invitation_url'),
    previewDeletion: (idOrEmail: string) =>
      api.get<UserDeletion>({ method: 'GET', path: `${pathOf(idOrEmail)}/deletion` }, 'id', 'projects'),
    delete: (idOrEmail: string) => api.get<UserDeleted>({ method: 'DELETE', path: pathOf(idOrEmail) }, 'documents_deleted'),
  }
}

function modelMethods(api: Api) {
  return {
    list: () => api.get<ModelList>({ method: 'GET', path: '/api/v1/models' }, 'models'),
    /**
     * Downloads a model and yields the progress of the whole download, `success` last. Throws ClientError, also for a failure in the middle.
     * Leaving the loop ends the download.
     */
    async *pull(model: string): AsyncGenerator<ModelPullLine> {
      const { readPull } = await import('./json-lines.ts')
      yield* readPull(api.transport, model, api.signal)
    },
    // The instance may have to load an unknown model to find out its dimensions.
    use: (model: string) =>
      api.get<ModelUsed>({ method: 'POST', path: '/api/v1/models/use', json: { model }, idleMs: 180_000 }, 'model', 'state'),
    // The instance may have to load the model first.
    test: (model: string) =>
      api.get<ModelTest>({ method: 'POST', path: '/api/v1/models/test', json: { model }, idleMs: 300_000 }, 'model', 'checks'),
    remove: (model: string) => api.delete(`/api/v1/models/${encodeURIComponent(model)}`),
  }
}

function uploadFields(settings: UploadOptions): (readonly [string, string])[] {
  const fields: (readonly [string, string])[] = []
  if (settings.project !== undefined) fields.push(['project', settings.project])
  if (settings.tags !== undefined && settings.tags.length > 0) fields.push(['tags', settings.tags.join(',')])
  if (settings.onConflict !== undefined) fields.push(['on_conflict', settings.onConflict])
  return fields
}

/** Checks that a token may be sent in a header. The message never contains the token. */
export function checkedToken<T extends ClientOptions['token']>(token: T): T {
  if (typeof token !== 'string' || /^[\x21-\x7e]+$/.test(token)) return token
  throw new ClientError('invalid_credential', 'The credential contains invalid characters. Copy it again.')
}
