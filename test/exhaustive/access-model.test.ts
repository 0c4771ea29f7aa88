import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserCreated } from '../../src/contract/users.ts'
import { SCOPES, type User } from '../../src/core/model.ts'
import { apiClient, type ApiClient } from '../support/api-client.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { oauthFlow, type OAuthFlow } from '../support/oauth-flow.ts'
import { openEventStream, type EventStream } from '../support/event-stream.ts'
import { within } from '../support/until.ts'

/*
 * Random sequences of requests by several users, compared with a model that only knows the rules: which credential works, which event
 * stream is open, and who sees which document. Every step changes both, and then everything is compared.
 */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app?.close())

interface ModelUser {
  name: string
  state: 'active' | 'disabled' | 'deleted'
}

interface ModelCredential {
  user: ModelUser
  isRevoked: boolean
  /** Null for an API key. */
  application: ModelApplication | null
}

interface ModelApplication {
  owner: ModelUser
  isDeleted: boolean
}

interface ModelStream {
  credential: ModelCredential
  /** A stream that ended stays ended, also when its user is enabled again. */
  hasEnded: boolean
}

interface ModelDocument {
  owner: ModelUser
  isDeleted: boolean
}

class Model {
  readonly users: ModelUser[] = []
  readonly applications: ModelApplication[] = []
  readonly credentials: ModelCredential[] = []
  readonly streams: ModelStream[] = []
  readonly documents: ModelDocument[] = []

  accepts({ user, isRevoked, application }: ModelCredential): boolean {
    const isConnected = application === null || (!application.isDeleted && application.owner.state !== 'deleted')
    return user.state === 'active' && !isRevoked && isConnected
  }

  canRead(credential: ModelCredential, document: ModelDocument): boolean {
    return this.accepts(credential) && !document.isDeleted && document.owner === credential.user
  }
}

/** The counterpart on the instance of each part of the model. */
class Instance {
  readonly users = new Map<ModelUser, User>()
  readonly applications = new Map<ModelApplication, OAuthFlow>()
  readonly credentials = new Map<ModelCredential, { client: ApiClient; id: string }>()
  readonly streams = new Map<ModelStream, EventStream>()
  readonly documents = new Map<ModelDocument, string>()

  async compareWith(model: Model): Promise<void> {
    for (const credential of model.credentials) {
      const { client } = found(this.credentials, credential)
      expect((await client.get('/api/v1/me')).status).toBe(model.accepts(credential) ? 200 : 401)
      for (const document of model.documents.slice(-2)) {
        const { status } = await client.get(`/api/v1/documents/${found(this.documents, document)}`)
        if (model.accepts(credential)) expect(status).toBe(model.canRead(credential, document) ? 200 : 404)
        else expect(status).toBe(401)
      }
    }
    for (const stream of model.streams) {
      const { hasEnded, ended } = found(this.streams, stream)
      stream.hasEnded ||= !model.accepts(stream.credential)
      if (stream.hasEnded) await within('the event stream to end with its credential', ended, 10_000)
      else expect(hasEnded()).toBe(false)
    }
  }

  async close(): Promise<void> {
    for (const stream of this.streams.values()) await stream.close()
    for (const { id } of this.users.values()) await app.alice.call('DELETE', `/api/v1/users/${id}`)
  }
}

function found<K, V>(map: Map<K, V>, key: K): V {
  const value = map.get(key)
  if (value === undefined) throw new Error('the model knows something that was never made')
  return value
}

type Command = fc.AsyncCommand<Model, Instance>

/** A step that needs one of `choices`, picked by `at`, which may be any number. */
function step<T>(
  name: string,
  at: number,
  choices: (model: Model) => readonly T[],
  run: (chosen: T, model: Model, instance: Instance) => Promise<unknown>,
): Command {
  return {
    check: (model) => choices(model).length > 0,
    async run(model, instance) {
      const possible = choices(model)
      await run(possible[at % possible.length]!, model, instance)
      await instance.compareWith(model)
    },
    toString: () => `${name}(${at})`,
  }
}

let count = 0
const PASSWORD = 'four wooden boats drift'
const active = (model: Model) => model.users.filter(({ state }) => state === 'active')
const existing = (model: Model) => model.users.filter(({ state }) => state !== 'deleted')
const accepted = (model: Model) => model.credentials.filter((credential) => model.accepts(credential))

/** Adds a user with a key. */
async function addUser(model: Model, instance: Instance): Promise<ModelUser> {
  const user: ModelUser = { name: `user${++count}`, state: 'active' }
  const added = await app.alice.post<UserCreated>('/api/v1/users', { email: `${user.name}@example.org`, password: PASSWORD })
  expect(added.status).toBe(201)
  model.users.push(user)
  instance.users.set(user, (await app.backend.records.users.get(added.body.id))!)
  await addKey(user, model, instance)
  return user
}

/** Two users, an application of the first one, and tokens with which it acts for both: something for every step to work on. */
async function begin(instance: Instance): Promise<Model> {
  const model = new Model()
  const users = [await addUser(model, instance), await addUser(model, instance)]
  const application = await registerApplication(users[0]!, model, instance)
  for (const user of users) await connect({ user, application }, model, instance)
  return model
}

async function addKey(user: ModelUser, model: Model, instance: Instance): Promise<void> {
  const ownerId = found(instance.users, user).id
  const { key, record } = await app.backend.apiKeys.create({ ownerId, name: 'a key', scopes: SCOPES, expiresAt: null })
  const credential: ModelCredential = { user, isRevoked: false, application: null }
  model.credentials.push(credential)
  instance.credentials.set(credential, { client: apiClient(app.url, key), id: record.id })
}

async function registerApplication(owner: ModelUser, model: Model, instance: Instance): Promise<ModelApplication> {
  const application: ModelApplication = { owner, isDeleted: false }
  model.applications.push(application)
  instance.applications.set(application, await oauthFlow(app, { user: found(instance.users, owner) }))
  return application
}

interface Connection {
  user: ModelUser
  application: ModelApplication
}

function possibleConnections(model: Model): Connection[] {
  const usable = model.applications.filter(({ isDeleted, owner }) => !isDeleted && owner.state !== 'deleted')
  return active(model).flatMap((user) => usable.map((application) => ({ user, application })))
}

/** The user agrees to the application, which then gets an access token. */
async function connect({ user, application }: Connection, model: Model, instance: Instance): Promise<void> {
  const { application: registered, secret } = found(instance.applications, application)
  const flow = await oauthFlow(app, { user: found(instance.users, user), application: registered, secret })
  const { access_token } = await flow.tokens()
  const credential: ModelCredential = { user, isRevoked: false, application }
  model.credentials.push(credential)
  instance.credentials.set(credential, { client: apiClient(app.url, access_token), id: registered.id })
}

/** Revokes a key, or disconnects the application, which ends all tokens that it has for this user. */
async function revoke(credential: ModelCredential, model: Model, instance: Instance): Promise<void> {
  const { user, application } = credential
  const { id } = found(instance.credentials, credential)
  const client = await newKeyOf(user, instance)
  const path = application === null ? `/api/v1/keys/${id}` : `/api/v1/connections/${id}`
  expect((await client.call('DELETE', path)).status).toBe(204)
  for (const other of model.credentials) {
    if (other === credential || (application !== null && other.user === user && other.application === application))
      other.isRevoked = true
  }
}

/** Returns a client with a new key that the model does not know. */
async function newKeyOf(user: ModelUser, instance: Instance): Promise<ApiClient> {
  const ownerId = found(instance.users, user).id
  const { key } = await app.backend.apiKeys.create({ ownerId, name: 'for one request', scopes: SCOPES, expiresAt: null })
  return apiClient(app.url, key)
}

async function upload(credential: ModelCredential, model: Model, instance: Instance): Promise<void> {
  const { client } = found(instance.credentials, credential)
  const document: ModelDocument = { owner: credential.user, isDeleted: false }
  const id = await client.ready(`note-${++count}.txt`, `Note ${count} of ${credential.user.name} about quince number ${count}.`)
  model.documents.push(document)
  instance.documents.set(document, id)
  for (const [stream, { until }] of instance.streams) {
    if (stream.credential.user === credential.user && !stream.hasEnded)
      await until((event) => event.document_id === id && event.type === 'document.ready')
  }
}

async function search(credential: ModelCredential, model: Model, instance: Instance): Promise<void> {
  const { body } = await found(instance.credentials, credential).client.post<{ results: { document: { id: string } }[] }>(
    '/api/v1/search',
    { query: 'quince', limit: 100 },
  )
  const mine = model.documents.filter((document) => model.canRead(credential, document)).map((d) => found(instance.documents, d))
  expect(body.results.map(({ document }) => document.id).sort()).toEqual(mine.sort())
}

async function listen(credential: ModelCredential, model: Model, instance: Instance): Promise<void> {
  const stream: ModelStream = { credential, hasEnded: false }
  const opened = await openEventStream(await found(instance.credentials, credential).client.open('/api/v1/events'))
  model.streams.push(stream)
  instance.streams.set(stream, opened)
}

function readable(model: Model): { document: ModelDocument; reader: ModelCredential }[] {
  return model.documents.flatMap((document) =>
    model.credentials.filter((credential) => model.canRead(credential, document)).map((reader) => ({ document, reader })),
  )
}

async function deleteDocument(
  { document, reader }: { document: ModelDocument; reader: ModelCredential },
  _model: Model,
  instance: Instance,
): Promise<void> {
  const { client } = found(instance.credentials, reader)
  expect((await client.call('DELETE', `/api/v1/documents/${found(instance.documents, document)}`)).status).toBe(204)
  document.isDeleted = true
}

/** Keys of a disabled user work again when the user is enabled. Tokens of applications end for good. */
async function toggleUser(user: ModelUser, model: Model, instance: Instance): Promise<void> {
  const disabled = user.state === 'active'
  const { status } = await app.alice.call('PATCH', `/api/v1/users/${found(instance.users, user).id}`, { json: { disabled } })
  expect(status).toBe(200)
  user.state = disabled ? 'disabled' : 'active'
  if (!disabled) return
  for (const credential of model.credentials) if (credential.user === user && credential.application) credential.isRevoked = true
}

async function deleteUser(user: ModelUser, model: Model, instance: Instance): Promise<void> {
  expect((await app.alice.call('DELETE', `/api/v1/users/${found(instance.users, user).id}`)).status).toBe(200)
  user.state = 'deleted'
  for (const document of model.documents) if (document.owner === user) document.isDeleted = true
}

function deletable(model: Model): ModelApplication[] {
  return model.applications.filter(({ isDeleted, owner }) => !isDeleted && owner.state === 'active')
}

async function deleteApplication(application: ModelApplication, _model: Model, instance: Instance): Promise<void> {
  const { application: registered } = found(instance.applications, application)
  const owner = await newKeyOf(application.owner, instance)
  expect((await owner.call('DELETE', `/api/v1/clients/${registered.id}`)).status).toBe(204)
  application.isDeleted = true
}

/** A step with its weight. The step picks what it works on by a random number. */
function choice<T>(
  weight: number,
  name: string,
  choices: (model: Model) => readonly T[],
  run: (chosen: T, model: Model, instance: Instance) => Promise<unknown>,
): { weight: number; arbitrary: fc.Arbitrary<Command> } {
  return { weight, arbitrary: fc.nat({ max: 1000 }).map((at) => step(name, at, choices, run)) }
}

const steps = fc.array(
  fc.oneof(
    choice(
      1,
      'add a user',
      (model) => (model.users.length < 4 ? [null] : []),
      (_, model, instance) => addUser(model, instance),
    ),
    choice(2, 'add a key for user', active, addKey),
    choice(1, 'register an application of user', active, registerApplication),
    choice(3, 'connect', possibleConnections, connect),
    choice(6, 'listen with credential', accepted, listen),
    choice(4, 'upload with credential', accepted, upload),
    choice(3, 'search with credential', accepted, search),
    choice(2, 'delete document', readable, deleteDocument),
    choice(4, 'revoke credential', accepted, revoke),
    choice(3, 'disable or enable user', existing, toggleUser),
    choice(1, 'delete user', existing, deleteUser),
    choice(1, 'delete application', deletable, deleteApplication),
  ),
  { minLength: 15, maxLength: 25 },
)

test('credentials, streams and documents follow the rules in every order of requests', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const instance = new Instance()
      try {
        const model = await begin(instance)
        await fc.asyncModelRun(() => ({ model, real: instance }), sequence)
        for (const [{ credential }, { events }] of instance.streams) {
          const own = new Set([...instance.documents].filter(([{ owner }]) => owner === credential.user).map(([, id]) => id))
          expect(events.filter(({ document_id }) => !own.has(document_id))).toEqual([])
        }
      } finally {
        await instance.close()
      }
    }),
    { numRuns: 8, endOnFailure: true },
  )
})
