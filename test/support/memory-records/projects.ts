import { newId } from '../../../src/core/ids.ts'
import type { Project, ProjectCounts } from '../../../src/core/model.ts'
import { projectExists } from '../../../src/records/errors.ts'
import { decodeCursor, resultPage } from '../../../src/records/result-page.ts'
import type { ProjectContents, ProjectIds, Projects, ProjectWithCounts } from '../../../src/records/projects.ts'
import { countStatuses, removeDocuments } from './document-changes.ts'
import { deleteWhere, type MemoryStore } from './store.ts'

export function memoryProjects(store: MemoryStore): Projects {
  const { projects } = store
  const withCounts = (project: Project): ProjectWithCounts => ({ ...project, counts: countsOf(store, project.id) })

  const isManaged = (id: string) => store.members.some(({ projectId, role }) => projectId === id && role === 'manager')

  function refuseTakenName(ownerId: string, name: string, exceptId?: string, visible?: ProjectIds): void {
    const own = [...projects.values()].filter(({ id, ownerId: owner }) => owner === ownerId && (visible?.has(id) ?? true))
    if (own.some((project) => project.name === name && project.id !== exceptId)) throw projectExists(name)
  }

  return {
    async create(project) {
      refuseTakenName(project.ownerId, project.name)
      const createdAt = store.now()
      const stored = { ...project, id: newId('prj', createdAt), createdAt, updatedAt: createdAt }
      projects.set(stored.id, stored)
      store.members.push({ projectId: stored.id, userId: project.ownerId, role: 'manager' })
      store.record({ action: 'project.create', projectId: stored.id })
      return withCounts(stored)
    },
    async get(id) {
      const project = projects.get(id)
      return project === undefined ? null : withCounts(project)
    },
    async list(ids, { limit, cursor }) {
      const after = cursor === undefined ? null : decodeCursor(cursor, 'string')
      const rest = [...projects.values()]
        .filter(({ id }) => ids.has(id))
        .filter((project) => isAfter(project, after))
        .sort(byName)
      return resultPage(rest, limit, ({ name, id }) => ({ value: name, id }), withCounts)
    },
    contents: async (id, maxFolders) => contentsOf(store, id, maxFolders),
    async privateOf(ownerId) {
      const isShared = (id: string) => store.members.some(({ projectId, userId }) => projectId === id && userId !== ownerId)
      const own = [...projects.values()].filter((project) => project.ownerId === ownerId && !isShared(project.id))
      return own.sort(byName).map(withCounts)
    },
    async getUnmanaged(id) {
      const project = projects.get(id)
      return project === undefined || isManaged(id) ? null : { id, name: project.name }
    },
    async listUnmanaged({ limit, cursor }) {
      const after = cursor === undefined ? null : decodeCursor(cursor, 'string')
      const rest = [...projects.values()].filter((project) => !isManaged(project.id) && isAfter(project, after)).sort(byName)
      return resultPage(
        rest,
        limit,
        ({ name, id }) => ({ value: name, id }),
        ({ id, name }) => ({ id, name }),
      )
    },
    async update(id, change, visible) {
      const project = projects.get(id)
      if (project === undefined) return null
      if (change.name !== undefined) refuseTakenName(project.ownerId, change.name, id, visible)
      const { name, description } = change
      const details = {
        ...(name !== undefined && name !== project.name && { name }),
        ...(description !== undefined && description !== project.description && { description: 'changed' }),
      }
      if (Object.keys(details).length > 0) store.record({ action: 'project.update', projectId: id, details })
      return withCounts(Object.assign(project, change, { updatedAt: store.now() }))
    },
    delete: async (id) =>
      store.write(() => {
        if (!projects.has(id)) return null
        const documents = [...store.documents.values()].filter(({ projectId }) => projectId === id)
        store.record({ action: 'project.delete', projectId: id, details: { documents: documents.length } })
        for (const { projectId, userId, role } of store.members)
          if (projectId === id && role === 'manager' && userId !== null) store.formerManagers.push({ projectId, userId })
        for (const webhook of store.webhooks.values()) if (webhook.projectId === id) store.deleteWebhook(webhook.id)
        removeDocuments(store, documents)
        deleteWhere(store.trash, ({ projectId }) => projectId === id)
        if (documents.length === 0) store.members = store.members.filter(({ projectId }) => projectId !== id)
        projects.delete(id)
        store.synonyms.delete(id)
        store.forgetVocabulary(id)
        return { documentIds: documents.map((document) => document.id) }
      }),
  }
}

function byName(a: Project, b: Project): number {
  return a.name < b.name || (a.name === b.name && a.id < b.id) ? -1 : 1
}

function isAfter({ id, name }: Project, after: { value: string; id: string } | null): boolean {
  return after === null || name > after.value || (name === after.value && id > after.id)
}

function contentsOf(store: MemoryStore, id: string, maxFolders: number): ProjectContents {
  const documents = [...store.documents.values()].filter(({ projectId }) => projectId === id)
  const trashed = [...store.trash.values()].filter(({ projectId }) => projectId === id)
  const changes = [...documents.map(({ updatedAt }) => updatedAt), ...trashed.map(({ trashedAt }) => trashedAt)]
  const own = documents.filter(({ parentId }) => parentId === null)
  const byFolder = Map.groupBy(own, ({ path }) => path.slice(0, path.indexOf('/') + 1))
  return {
    folders: [...byFolder]
      .map(([folder, inside]) => ({ folder, documents: inside.length }))
      .toSorted((a, b) => (a.folder < b.folder ? -1 : 1))
      .slice(0, maxFolders),
    lastChangedAt: changes.length === 0 ? null : new Date(Math.max(...changes.map(Number))),
    trashed: trashed.filter(({ parentId }) => parentId === null).length,
  }
}

function countsOf(store: MemoryStore, id: string): ProjectCounts {
  const documents = [...store.documents.values()].filter(({ projectId }) => projectId === id)
  return {
    documents: documents.length,
    chunks: documents.reduce((sum, { chunkCount }) => sum + (chunkCount ?? 0), 0),
    bytes: documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    statuses: countStatuses(documents),
  }
}
