import { randomBytes } from 'node:crypto'
import { SCOPES, type ProjectLimit, type User } from '../../../src/core/model.ts'
import { hashSecret } from '../../../src/core/secrets.ts'
import type { TestApp } from '../../support/app.ts'
import { makePdf } from '../../support/make-documents.ts'

/** The users of the table, in the order of its letters. */
export const ROLES = ['none', 'reader', 'writer', 'manager', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** Everything of the project has this word: its name, its document, its synonyms and the name of its first member. */
export const MARK = /quokka/i
const TEXT = 'The quokka meets an echidna.'

export interface SharedProject {
  id: string
  document: string
  synonym: string
  webhook: string
  delivery: string
}

/** What the requests of the table are about. Users and their projects stay; requests that change something get a project of their own. */
export class World {
  readonly app: TestApp
  readonly users = new Map<Role, User>()
  /** A project that only this user is a member of. */
  readonly #elsewhere = new Map<Role, string>()
  readonly #credentials = new Map<string, Promise<string>>()
  #founder!: User
  #application!: string
  #sha256!: string
  /** A PDF in the library. Only PDFs have images of pages. */
  #pdf!: string
  /** The project for requests that only read. Its document is searchable. */
  library!: SharedProject
  /** The project for requests that change something. */
  scratch!: SharedProject
  #made = 0

  constructor(app: TestApp) {
    this.app = app
  }

  async prepare(): Promise<void> {
    const { records, ingest, oauth, apiKeys } = this.app.backend
    this.#founder = await this.newUser('Quokka Founder')
    for (const role of ROLES) this.users.set(role, role === 'owner' ? (await records.users.owner())! : await this.newUser(role))
    for (const [role, { id: ownerId }] of this.users)
      this.#elsewhere.set(role, (await records.projects.create({ ownerId, name: 'Elsewhere', description: '' })).id)
    const { application } = await oauth.applications.create({
      ownerId: this.#founder.id,
      name: 'App',
      type: 'public',
      redirectUris: ['https://a.example/cb'],
      scopes: SCOPES,
    })
    this.#application = application.id
    const project = await this.#newProject()
    const { key } = await apiKeys.create({ ownerId: this.#founder.id, name: 'k', scopes: SCOPES, expiresAt: null })
    const document = await this.#upload(key, project, 'quokka.txt', TEXT)
    this.#sha256 = document.sha256
    this.#pdf = (await this.#upload(key, project, 'quokka.pdf', new Uint8Array(await makePdf([[{ text: TEXT }]])))).id
    this.library = {
      id: project,
      document: document.id,
      synonym: await this.#addSynonym(project),
      ...(await this.#addWebhook(project)),
    }
    // From now on documents stay in the queue, so that nothing but the requests changes anything.
    await ingest.stop(5_000)
    await this.renew()
  }

  async #upload(key: string, project: string, name: string, body: string | Uint8Array<ArrayBuffer>) {
    const headers = { Authorization: `Bearer ${key}`, Prefer: 'wait=60', 'Content-Type': 'application/octet-stream' }
    const at = `${this.app.url}/api/v1/upload?name=${name}&project=${project}`
    const answer = await fetch(at, { method: 'POST', headers, body })
    const { documents } = (await answer.json()) as { documents: { id: string; sha256: string; status: string }[] }
    if (documents[0]?.status !== 'ready') throw new Error(`the document is ${documents[0]?.status}`)
    return documents[0]
  }

  /** Makes another project for requests that change something. */
  async renew(): Promise<void> {
    const { records } = this.app.backend
    const id = await this.#newProject()
    const file = { name: 'quokka.txt', path: 'quokka.txt', mediaType: 'text/plain', sizeBytes: TEXT.length, tags: null }
    const { document } = await records.documents.register(
      { uploaderId: this.#founder.id, projectId: id, ...file, sha256: this.#sha256 },
      'replace',
    )
    this.scratch = { id, document: document.id, synonym: await this.#addSynonym(id), ...(await this.#addWebhook(id)) }
  }

  async #newProject(): Promise<string> {
    const { projects, members } = this.app.backend.records
    const { id } = await projects.create({ ownerId: this.#founder.id, name: this.newName('Quokkas'), description: '' })
    for (const role of ['reader', 'writer', 'manager'] as const) await members.set(id, this.users.get(role)!.id, role)
    return id
  }

  async #addSynonym(projectId: string): Promise<string> {
    const rules = [{ words: ['quokka', 'wallaby'], expandsTo: null }]
    const saved = await this.app.backend.records.synonyms.add({ projectId, rules, maxSynonyms: 1e6 })
    return saved![0]!.record.id
  }

  /** A webhook with a delivery. Nothing answers at its address, and no host on the internet has it. */
  async #addWebhook(projectId: string): Promise<{ webhook: string; delivery: string }> {
    const { webhooks, records } = this.app.backend
    const id = webhooks.newId()
    const { sealed: sealedSecret } = await webhooks.newSecret(id)
    const fields = { url: 'https://quokka.invalid/', description: '', events: ['document.failed'] as const, maxWebhooks: 1e6 }
    await records.webhooks.create({ id, projectId, ...fields, sealedSecret })
    return { webhook: id, delivery: (await records.webhooks.addTest(id))!.id }
  }

  newName(prefix = 'new'): string {
    return `${prefix} ${(this.#made += 1)}`.replace(' ', '-')
  }

  newUser(name: string): Promise<User> {
    return this.app.backend.records.users.create({ name, email: `${this.newName('user')}@example.org`, role: 'member' })
  }

  /** Returns a key or a token of the user, limited to the user's other project, to the given project, or not at all. */
  credential(role: Role, kind: 'key' | 'token', limit: 'none' | 'elsewhere' | SharedProject): Promise<string> {
    const projectIds = limit === 'none' ? null : [limit === 'elsewhere' ? this.#elsewhere.get(role)! : limit.id]
    const name = `${role} ${kind} ${projectIds?.[0] ?? 'none'}`
    const made =
      this.#credentials.get(name) ?? (kind === 'key' ? this.#newKey(role, projectIds) : this.newToken(role, projectIds))
    this.#credentials.set(name, made)
    return made
  }

  async #newKey(role: Role, projectIds: ProjectLimit): Promise<string> {
    const ownerId = this.users.get(role)!.id
    return (await this.app.backend.apiKeys.create({ ownerId, name: 'k', scopes: SCOPES, projectIds, expiresAt: null })).key
  }

  async newToken(role: Role, projectIds: ProjectLimit, clientId = this.#application): Promise<string> {
    const { codes } = this.app.backend.records.oauth
    const [code, token] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
    const expiresAt = new Date(Date.now() + 3_600_000)
    const consent = { clientId, userId: this.users.get(role)!.id, redirectUri: 'https://a.example/cb', scopes: [...SCOPES] }
    await codes.create({ ...consent, sha256: code, projectIds, codeChallenge: null, resource: null, expiresAt })
    await codes.redeem(code, { access: { sha256: hashSecret(token), expiresAt }, refresh: null, scopes: SCOPES })
    return token
  }

  /** Returns the token of a new session. */
  async session(role: Role): Promise<string> {
    return (await this.app.backend.accounts.startSession(this.users.get(role)!, { userAgent: '', address: '' })).token
  }

  /** Returns the parameters for a path: something that exists, and belongs to the user if it is not about the project. */
  async parameters(path: string, role: Role, project: SharedProject): Promise<Record<string, string>> {
    const ownerId = this.users.get(role)!.id
    const noun = /^\/(?:api\/v1|settings)\/([a-z-]+)\/\{id\}/.exec(path)?.[1] ?? path.split('/')[1]
    const { apiKeys, oauth, accounts, records } = this.app.backend
    switch (noun) {
      case 'projects': {
        if (path.endsWith('/take-over')) return { id: await this.#newUnmanaged() }
        const guest = path.includes('{user}') ? (await this.newUser('Guest')).id : ''
        if (guest !== '') await records.members.set(project.id, guest, 'reader')
        const { id, synonym, webhook, delivery } = project
        return { id, synonym, webhook, delivery, user: guest }
      }
      case 'documents':
        return path.includes('/pages/') ? { id: this.#pdf, n: '1' } : { id: project.document }
      case 'unmanaged-projects':
        return { id: await this.#newUnmanaged() }
      case 'keys':
      case 'api-keys':
        return { id: (await apiKeys.create({ ownerId, name: 'spare', scopes: SCOPES, expiresAt: null })).record.id }
      case 'clients':
      case 'connections': {
        const redirectUris = ['https://a.example/cb']
        const { application } = await oauth.applications.create({ ownerId, name: 'Spare', type: 'confidential', redirectUris })
        if (noun === 'connections') await this.newToken(role, null, application.id)
        return { id: application.id }
      }
      case 'saved-searches': {
        const search = { userId: ownerId, name: 'Spare', parameters: `q=${this.newName()}`, maxSearches: 1e6 }
        return { id: (await records.savedSearches.create(search)).id }
      }
      case 'users':
        return { id: (await this.newUser('Guest')).id }
      case 'sessions': {
        const { session } = await accounts.startSession(this.users.get(role)!, { userAgent: '', address: '' })
        return { id: session.id }
      }
      case 'models':
        return { id: 'builtin' }
      case 'assets':
        return { id: 'style.css' }
      default:
        return {}
    }
  }

  /** A project whose only manager was deleted. */
  async #newUnmanaged(): Promise<string> {
    const { projects, members, users } = this.app.backend.records
    const manager = await this.newUser('Gone')
    const { id } = await projects.create({ ownerId: manager.id, name: 'Left alone', description: '' })
    await members.set(id, this.#founder.id, 'reader')
    await users.delete(manager.id)
    return id
  }
}
