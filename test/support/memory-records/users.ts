import { newId } from '../../../src/core/ids.ts'
import type { User } from '../../../src/core/model.ts'
import { ownerExists, ownerStays, userExists } from '../../../src/records/errors.ts'
import { NO_QUOTAS } from '../../../src/records/quotas.ts'
import { foldName } from '../../../src/core/fold-name.ts'
import type { Users } from '../../../src/records/users.ts'
import { removeDocument } from './document-changes.ts'
import { giveOwner } from './members.ts'
import { listPart, oldestFirst } from './lists.ts'
import { deleteGrant, endApplications, endGrants } from './oauth-changes.ts'
import { deleteWhere } from './store.ts'
import type { MemoryStore, StoredUser } from './store.ts'

export function memoryUsers(store: MemoryStore): Users {
  const { users } = store
  const owner = () => [...users.values()].find(({ role }) => role === 'owner')

  return {
    async create({ name, email, role }) {
      if (role === 'owner' && owner() !== undefined) throw ownerExists()
      refuseTakenEmail(store, email)
      const createdAt = store.now()
      const user: StoredUser = {
        id: newId('usr', createdAt),
        email,
        name,
        role,
        passwordHash: null,
        createdAt,
        disabledAt: null,
        lastLoginAt: null,
        ownQuotas: NO_QUOTAS,
      }
      users.set(user.id, user)
      return presentUser(user)
    },
    get: async (id) => presentOrNull(users.get(id)),
    owner: async () => presentOrNull(owner()),
    findByEmail: async (email) => presentOrNull(findByEmail(store, email)),
    list: async (request) => listPart([...users.values()], oldestFirst, request, presentUser),
    usage: async (ids) => new Map(ids.map((id) => [id, store.usageOf(id)])),
    async update(id, { name, email, quotas }) {
      const user = users.get(id)
      if (user === undefined) return null
      if (email !== undefined) refuseTakenEmail(store, email, id)
      user.name = name ?? user.name
      user.email = email ?? user.email
      for (const [kind, quota] of Object.entries(quotas ?? {}))
        if (quota !== undefined) user.ownQuotas = { ...user.ownQuotas, [kind]: quota }
      return presentUser(user)
    },
    passwordHash: async (id) => users.get(id)?.passwordHash ?? null,
    async setPasswordHash(id, phc, replacing) {
      const user = users.get(id)
      if (user === undefined || (replacing !== undefined && user.passwordHash !== replacing)) return
      user.passwordHash = phc
    },
    async setDisabled(id, isDisabled) {
      const user = users.get(id)
      if (user === undefined) return null
      if (isDisabled && user.role === 'owner') throw ownerStays()
      user.disabledAt = isDisabled ? (user.disabledAt ?? store.now()) : null
      if (isDisabled) endLogins(store, id)
      return presentUser(user)
    },
    delete: async (id) => deleteUser(store, id),
  }
}

/** Throws `user_exists` when a user other than `exceptId` has the address. */
export function refuseTakenEmail(store: MemoryStore, email: string | null, exceptId?: string): void {
  const holder = email === null ? undefined : findByEmail(store, email)
  if (holder !== undefined && holder.id !== exceptId) throw userExists(email)
}

export function presentUser({ passwordHash, ...user }: StoredUser): User {
  return { ...user, hasPassword: passwordHash !== null }
}

function presentOrNull(user: StoredUser | undefined): User | null {
  return user === undefined ? null : presentUser(user)
}

function findByEmail({ users }: MemoryStore, email: string): StoredUser | undefined {
  const folded = foldName(email)
  return [...users.values()].find((user) => user.email !== null && foldName(user.email) === folded)
}

function endLogins(store: MemoryStore, userId: string): void {
  deleteWhere(store.sessions, (session) => session.userId === userId)
  deleteWhere(store.links, (link) => link.userId === userId)
  endGrants(store, { userId })
}

function deleteUser(store: MemoryStore, id: string): { documentIds: string[] } | null {
  const user = store.users.get(id)
  if (user === undefined) return null
  if (user.role === 'owner') throw ownerStays()
  store.members = store.members.filter(({ userId }) => userId !== id)
  const instanceOwner = [...store.users.values()].find(({ role }) => role === 'owner')?.id ?? id
  for (const project of store.projects.values()) if (project.ownerId === id) giveOwner(store, project, instanceOwner)
  const documents = [...store.documents.values()].filter(({ ownerId }) => ownerId === id)
  for (const document of documents) removeDocument(store, document)
  for (const project of store.projects.values()) if (project.ownerId === id) store.forgetVocabulary(project.id)
  endLogins(store, id)
  endApplications(store, { ownerId: id })
  deleteWhere(store.keys, ({ ownerId }) => ownerId === id)
  deleteWhere(store.projects, ({ ownerId }) => ownerId === id)
  deleteWhere(store.codes, ({ userId }) => userId === id)
  deleteWhere(store.devices, ({ userId }) => userId === id)
  for (const grant of store.grants.values()) if (grant.userId === id) deleteGrant(store, grant.id)
  store.users.delete(id)
  return { documentIds: documents.map((document) => document.id) }
}
