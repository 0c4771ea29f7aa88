import { newId } from '../../../src/core/ids.ts'
import type { User } from '../../../src/core/model.ts'
import { ownerExists, ownerStays, userExists } from '../../../src/records/errors.ts'
import { NO_QUOTAS } from '../../../src/records/quotas.ts'
import { foldName } from '../../../src/core/fold-name.ts'
import type { Users } from '../../../src/records/users.ts'
import { removeDocument } from './document-changes.ts'
import { giveOwner } from './members.ts'
import { byOldest, listPart } from './lists.ts'
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
      store.record({ action: 'user.create', userId: user.id, details: { role } })
      return presentUser(user)
    },
    get: async (id) => presentOrNull(users.get(id)),
    owner: async () => presentOrNull(owner()),
    findByEmail: async (email) => presentOrNull(findByEmail(store, email)),
    list: async (request) => listPart([...users.values()], byOldest, request, presentUser),
    async totals() {
      const all = [...store.users.values()]
      const used = all.map(({ id }) => store.usageOf(id))
      return {
        users: all.length,
        disabled: all.filter(({ disabledAt }) => disabledAt !== null).length,
        documents: used.reduce((sum, { documents }) => sum + documents, 0),
        bytes: used.reduce((sum, { bytes }) => sum + bytes, 0),
      }
    },
    usage: async (ids) => new Map(ids.map((id) => [id, store.usageOf(id)])),
    async update(id, { name, email, quotas }) {
      const user = users.get(id)
      if (user === undefined) return null
      if (email !== undefined) refuseTakenEmail(store, email, id)
      const ownQuotas = { ...user.ownQuotas }
      for (const [kind, quota] of Object.entries(quotas ?? {}))
        if (quota !== undefined) Object.assign(ownQuotas, { [kind]: quota })
      recordUpdate(store, user, { name: name ?? user.name, email: email ?? user.email, ownQuotas })
      Object.assign(user, { name: name ?? user.name, email: email ?? user.email, ownQuotas })
      return presentUser(user)
    },
    passwordHash: async (id) => users.get(id)?.passwordHash ?? null,
    async setPasswordHash(id, phc, replacing) {
      const user = users.get(id)
      if (user === undefined || (replacing !== undefined && user.passwordHash !== replacing)) return
      user.passwordHash = phc
      if (replacing === undefined) store.record({ action: 'user.password', userId: id })
    },
    async setDisabled(id, isDisabled) {
      const user = users.get(id)
      if (user === undefined) return null
      if (isDisabled && user.role === 'owner') throw ownerStays()
      if (isDisabled !== (user.disabledAt !== null))
        store.record({ action: isDisabled ? 'user.disable' : 'user.enable', userId: id })
      user.disabledAt = isDisabled ? (user.disabledAt ?? store.now()) : null
      if (isDisabled) endLogins(store, id)
      return presentUser(user)
    },
    delete: async (id) => deleteUser(store, id),
  }
}

function recordUpdate(store: MemoryStore, user: StoredUser, next: Pick<StoredUser, 'name' | 'email' | 'ownQuotas'>): void {
  const quotas = (['documents', 'bytes', 'passages'] as const).filter((kind) => next.ownQuotas[kind] !== user.ownQuotas[kind])
  const changed = [
    ...(['name', 'email'] as const).filter((field) => next[field] !== user[field]),
    ...quotas.map((kind) => `quota_${kind}`),
  ]
  if (changed.length === 0) return
  const details = {
    changed,
    ...(changed.includes('name') && { name: next.name }),
    ...(changed.includes('email') && { email: next.email }),
  }
  store.record({ action: 'user.update', userId: user.id, details })
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
  const left = store.members.filter(({ userId }) => userId === id)
  store.members = store.members.filter(({ userId }) => userId !== id)
  for (const { projectId, role } of left) store.record({ action: 'member.remove', projectId, userId: id, details: { role } })
  const instanceOwner = [...store.users.values()].find(({ role }) => role === 'owner')?.id ?? id
  for (const project of store.projects.values()) if (project.ownerId === id) giveOwner(store, project, instanceOwner)
  const documents = [...store.documents.values()].filter(({ ownerId }) => ownerId === id)
  store.record({ action: 'user.delete', userId: id, details: { documents: documents.length } })
  for (const document of documents) removeDocument(store, document)
  deleteWhere(store.trash, ({ ownerId }) => ownerId === id)
  for (const project of store.projects.values()) if (project.ownerId === id) store.forgetVocabulary(project.id)
  endLogins(store, id)
  endApplications(store, { ownerId: id })
  deleteWhere(store.keys, ({ ownerId }) => ownerId === id)
  deleteWhere(store.savedSearches, ({ userId }) => userId === id)
  deleteWhere(store.projects, ({ ownerId }) => ownerId === id)
  deleteWhere(store.codes, ({ userId }) => userId === id)
  deleteWhere(store.devices, ({ userId }) => userId === id)
  for (const grant of store.grants.values()) if (grant.userId === id) deleteGrant(store, grant.id)
  store.users.delete(id)
  store.formerManagers = store.formerManagers.filter(({ userId }) => userId !== id)
  return { documentIds: documents.map((document) => document.id) }
}
