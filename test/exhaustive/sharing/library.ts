import { expect } from 'vitest'
import type { ApiKeyCreated } from '../../../src/contract/account.ts'
import type { Project } from '../../../src/contract/projects.ts'
import type { SynonymsSaved } from '../../../src/contract/synonyms.ts'
import { PROJECT_ROLES, type ProjectRole } from '../../../src/core/model.ts'
import { apiClient, type ApiClient } from '../../support/api-client.ts'
import type { TestApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'

export interface ModelUser {
  id: string
  name: string
}

export interface ModelDocument {
  id: string
  name: string
  words: readonly string[]
}

export interface ModelProject {
  id: string
  name: string
  owner: ModelUser
  /** Earliest first; null stands for all users. */
  members: Map<ModelUser | null, ProjectRole>
  documents: ModelDocument[]
  synonyms: (readonly string[])[]
  /** Counts the changes, because a change can set a time and nothing else. */
  changes: number
}

export interface Credential {
  user: ModelUser
  /** Null without a limit. */
  limit: readonly ModelProject[] | null
  client: ApiClient
}

/** An operation by a credential on a project. The numbers may be any: they choose among what there is. */
export interface Operation {
  kind:
    | 'createProject'
    | 'renameProject'
    | 'deleteProject'
    | 'setMember'
    | 'removeMember'
    | 'upload'
    | 'replace'
    | 'rename'
    | 'move'
    | 'delete'
    | 'addSynonym'
    | 'limitKey'
  by: number
  on: number
  with: number
}

/** Words that nothing else contains. */
export const WORDS = [
  'xylophone',
  'marmalade',
  'dragonfly',
  'lighthouse',
  'parchment',
  'gooseberry',
  'windmill',
  'cathedral',
  'hedgehog',
  'thunderstorm',
]
/** Few, so that projects often have the same name. */
const NAMES = ['Red', 'Blue']

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length]!

/** The projects of a few users, as the instance has them and as the model says they are. */
export class Library {
  readonly users: ModelUser[] = []
  readonly credentials: Credential[] = []
  readonly projects: ModelProject[] = []
  /** Documents and projects that once existed. */
  readonly formerNames: string[] = []
  readonly history: string[] = []
  readonly #app: TestApp
  #made = 0

  constructor(app: TestApp) {
    this.#app = app
  }

  addUser(user: ModelUser, key: string): void {
    this.users.push(user)
    this.credentials.push({ user, limit: null, client: apiClient(this.#app.url, key) })
  }

  /** Returns the role of a credential in a project; null if the project does not exist for it. */
  roleOf({ user, limit }: Credential, project: ModelProject): ProjectRole | null {
    if (limit !== null && !limit.includes(project)) return null
    const ranks = [user, null].map((member) => PROJECT_ROLES.indexOf(project.members.get(member)!))
    return PROJECT_ROLES[Math.max(...ranks)] ?? null
  }

  visibleTo(credential: Credential): ModelProject[] {
    return this.projects.filter((project) => this.roleOf(credential, project) !== null)
  }

  /** Runs an operation on the instance and the model. The instance must refuse what the model says is not allowed. */
  async apply({ kind, by, on, with: at }: Operation): Promise<void> {
    const credential = pick(this.credentials, by)
    if (kind === 'createProject') return this.#createProject(credential, pick(NAMES, at))
    if (this.projects.length === 0) return
    const project = pick(this.projects, on)
    const document = project.documents.length === 0 ? null : pick(project.documents, at)
    switch (kind) {
      case 'renameProject':
        return this.#renameProject(credential, project, pick(NAMES, at))
      case 'deleteProject':
        return this.#deleteProject(credential, project)
      case 'setMember':
        return this.#setMember(credential, project, pick([...this.users, null], at), pick(PROJECT_ROLES, at))
      case 'removeMember':
        return this.#removeMember(credential, project, pick([...this.users, null], at))
      case 'upload':
        return this.#upload(credential, project, { name: `file-${(this.#made += 1)}.txt`, words: this.#wordsOf(at) })
      case 'replace':
        return document === null
          ? undefined
          : this.#upload(credential, project, { name: document.name, words: this.#wordsOf(at + 1) }, document)
      case 'rename':
        return document === null ? undefined : this.#rename(credential, project, document)
      case 'move':
        return document === null ? undefined : this.#move(credential, project, document, pick(this.projects, at))
      case 'delete':
        return document === null ? undefined : this.#delete(credential, project, document)
      case 'addSynonym':
        return this.#addSynonym(credential, project, [pick(WORDS, at), pick(WORDS, at + 3)])
      case 'limitKey':
        return this.#limitKey(credential, [project, pick(this.projects, at)])
    }
  }

  #wordsOf(at: number): string[] {
    return [pick(WORDS, at), pick(WORDS, at + 1 + (at % 3)), pick(WORDS, at + 5)]
  }

  /** Sends a request that needs a role in projects. Returns the body if the model says that it succeeds. */
  async #send<T>(
    what: string,
    credential: Credential,
    needed: readonly (readonly [ModelProject, ProjectRole])[],
    send: (client: ApiClient) => Promise<{ status: number; body: T }>,
    conflict: number | null = null,
  ): Promise<T | null> {
    const limit = credential.limit === null ? '' : ` (limited to ${credential.limit.map(({ id }) => id).join(', ')})`
    this.history.push(`${credential.user.name}${limit} ${what}`)
    const refusals = needed.map(([project, role]) => {
      const own = this.roleOf(credential, project)
      if (own === null) return 404
      return PROJECT_ROLES.indexOf(own) >= PROJECT_ROLES.indexOf(role) ? null : 403
    })
    const refusal = refusals.find((status) => status !== null) ?? conflict
    const { status, body } = await send(credential.client)
    if (refusal !== null) expect(status, `${what} must be refused`).toBe(refusal)
    else expect(status, `${what} must succeed: ${JSON.stringify(body)}`).toBeLessThan(300)
    if (refusal !== null) return null
    for (const [project] of needed) project.changes += 1
    return body
  }

  async #createProject(credential: Credential, name: string): Promise<void> {
    const isTaken = this.projects.some((one) => one.owner === credential.user && one.name === name)
    const conflict = credential.limit !== null ? 403 : isTaken ? 409 : null
    const body = await this.#send(
      `creates ${name}`,
      credential,
      [],
      (client) => client.post<Project>('/api/v1/projects', { name }),
      conflict,
    )
    if (body === null) return
    const { user } = credential
    this.projects.push({
      id: body.id,
      name,
      owner: user,
      members: new Map([[user, 'manager']]),
      documents: [],
      synonyms: [],
      changes: 0,
    })
  }

  async #renameProject(credential: Credential, project: ModelProject, name: string): Promise<void> {
    // The refusal must not depend on projects that the credential does not see.
    const isTaken = this.visibleTo(credential).some((one) => one !== project && one.owner === project.owner && one.name === name)
    const send = (client: ApiClient) => client.call('PATCH', `/api/v1/projects/${project.id}`, { json: { name } })
    const what = `renames ${project.id} to ${name}`
    if ((await this.#send(what, credential, [[project, 'manager']], send, isTaken ? 409 : null)) !== null) project.name = name
  }

  /** The index can follow a deletion a little later. Until then, facets still count the document. */
  async #untilForgotten(): Promise<void> {
    const { queue } = this.#app.backend.records
    await until('the index has dropped the deleted documents', async () => (await queue.tombstones()).length === 0)
  }

  async #deleteProject(credential: Credential, project: ModelProject): Promise<void> {
    const send = (client: ApiClient) => client.call('DELETE', `/api/v1/projects/${project.id}`)
    if ((await this.#send(`deletes ${project.id}`, credential, [[project, 'manager']], send)) === null) return
    this.projects.splice(this.projects.indexOf(project), 1)
    this.formerNames.push(project.id, ...project.documents.flatMap(({ id, name }) => [id, name]))
    await this.#untilForgotten()
  }

  #hasManager(members: ModelProject['members']): boolean {
    return [...members].some(([user, role]) => user !== null && role === 'manager')
  }

  /** The earliest manager owns a project whose owner does not manage it. */
  #changeMembers(project: ModelProject, members: ModelProject['members']): void {
    project.members = members
    if (members.get(project.owner) === 'manager') return
    for (const [user, role] of members)
      if (user !== null && role === 'manager') {
        project.owner = user
        return
      }
  }

  async #setMember(credential: Credential, project: ModelProject, user: ModelUser | null, role: ProjectRole): Promise<void> {
    const members = new Map(project.members).set(user, role)
    const conflict = user === null && role === 'manager' ? 422 : this.#hasManager(members) ? null : 409
    const path = `/api/v1/projects/${project.id}/members/${user?.id ?? 'everyone'}`
    const send = (client: ApiClient) => client.call('PUT', path, { json: { role } })
    const what = `makes ${user?.name ?? 'everyone'} ${role} of ${project.id}`
    if ((await this.#send(what, credential, [[project, 'manager']], send, conflict)) !== null)
      this.#changeMembers(project, members)
  }

  async #removeMember(credential: Credential, project: ModelProject, user: ModelUser | null): Promise<void> {
    const members = new Map(project.members)
    const conflict = !members.delete(user) ? 404 : this.#hasManager(members) ? null : 409
    const path = `/api/v1/projects/${project.id}/members/${user?.id ?? 'everyone'}`
    const needed = user === credential.user ? 'reader' : 'manager'
    const what = `removes ${user?.name ?? 'everyone'} from ${project.id}`
    const send = (client: ApiClient) => client.call('DELETE', path)
    if ((await this.#send(what, credential, [[project, needed]], send, conflict)) !== null) this.#changeMembers(project, members)
  }

  async #upload(
    credential: Credential,
    project: ModelProject,
    { name, words }: Pick<ModelDocument, 'name' | 'words'>,
    replaced?: ModelDocument,
  ): Promise<void> {
    const content = `A note about ${words.join(' and ')}.`
    const send = (client: ApiClient) => client.upload([{ name, content }], { project: project.id }, { Prefer: 'wait=60' })
    const body = await this.#send(
      `uploads ${name} (${words.join(' ')}) to ${project.id}`,
      credential,
      [[project, 'writer']],
      send,
    )
    if (body === null) return
    const [document] = body.documents
    expect(document).toMatchObject({ status: 'ready', ...(replaced === undefined && { outcome: 'created' }) })
    if (replaced === undefined) project.documents.push({ id: document!.id, name, words })
    else replaced.words = words
  }

  async #rename(credential: Credential, project: ModelProject, document: ModelDocument): Promise<void> {
    const name = `named-${(this.#made += 1)}.txt`
    const json = { name, path: name }
    const send = (client: ApiClient) => client.call('PATCH', `/api/v1/documents/${document.id}`, { json })
    const what = `renames ${document.name} in ${project.id} to ${name}`
    if ((await this.#send(what, credential, [[project, 'writer']], send)) === null) return
    this.formerNames.push(document.name)
    document.name = name
  }

  async #move(credential: Credential, project: ModelProject, document: ModelDocument, target: ModelProject): Promise<void> {
    const json = { project: target.id }
    const send = (client: ApiClient) => client.call('PATCH', `/api/v1/documents/${document.id}`, { json })
    const what = `moves ${document.name} from ${project.id} to ${target.id}`
    const needed = [
      [project, 'writer'],
      [target, 'writer'],
    ] as const
    if ((await this.#send(what, credential, needed, send)) === null) return
    project.documents.splice(project.documents.indexOf(document), 1)
    target.documents.push(document)
  }

  async #delete(credential: Credential, project: ModelProject, document: ModelDocument): Promise<void> {
    const send = (client: ApiClient) => client.call('DELETE', `/api/v1/documents/${document.id}`)
    if ((await this.#send(`deletes ${document.name} in ${project.id}`, credential, [[project, 'writer']], send)) === null) return
    project.documents.splice(project.documents.indexOf(document), 1)
    this.formerNames.push(document.id, document.name)
    await this.#untilForgotten()
  }

  async #addSynonym(credential: Credential, project: ModelProject, words: readonly string[]): Promise<void> {
    const path = `/api/v1/projects/${project.id}/synonyms`
    const send = (client: ApiClient) => client.post<SynonymsSaved>(path, { synonyms: [{ words }] })
    const what = `adds the synonyms ${words.join(' = ')} to ${project.id}`
    if ((await this.#send(what, credential, [[project, 'manager']], send)) !== null) project.synonyms.push(words)
  }

  async #limitKey(credential: Credential, projects: readonly ModelProject[]): Promise<void> {
    if (this.credentials.length > 7) return
    const ids = [...new Set(projects.map(({ id }) => id))]
    const needed = projects.map((project) => [project, 'reader'] as const)
    const send = (client: ApiClient) =>
      client.post<ApiKeyCreated>('/api/v1/keys', { name: 'k', scopes: SCOPES_OF_KEYS, projects: ids })
    const body = await this.#send(`creates a key for ${ids.join(', ')}`, credential, needed, send)
    if (body === null) return
    this.credentials.push({ user: credential.user, limit: projects, client: apiClient(this.#app.url, body.key) })
  }

  /** Deletes the projects, because projects of everyone would be visible to the users of the next run. */
  async deleteAll(): Promise<void> {
    for (const { id } of this.projects) await this.#app.backend.ingest.deleteProject(id)
  }
}

const SCOPES_OF_KEYS = ['read:documents', 'write:documents', 'manage:keys']
