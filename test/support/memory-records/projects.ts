import { newId } from '../../../src/core/ids.ts'
import type { Project, ProjectCounts } from '../../../src/core/model.ts'
import { projectExists } from '../../../src/records/errors.ts'
import { decodeCursor, resultPage } from '../../../src/records/result-page.ts'
import type { Projects, ProjectWithCounts } from '../../../src/records/projects.ts'
import { countStatuses, removeDocuments } from './document-changes.ts'
import type { MemoryStore } from './store.ts'

export function memoryProjects(store: MemoryStore): Projects {
  const { projects } = store
  const ownedBy = (ownerId: string) => [...projects.values()].filter((project) => project.ownerId === ownerId)
  const withCounts = (project: Project): ProjectWithCounts => ({ ...project, counts: countsOf(store, project.id) })

  function find(ownerId: string, idOrName: string): Project | undefined {
    const own = ownedBy(ownerId)
    return own.find(({ id }) => id === idOrName) ?? own.find(({ name }) => name === idOrName)
  }

  function refuseTakenName(ownerId: string, name: string, exceptId?: string): void {
    if (ownedBy(ownerId).some((project) => project.name === name && project.id !== exceptId)) throw projectExists(name)
  }

  return {
    async create(project) {
      refuseTakenName(project.ownerId, project.name)
      const createdAt = store.now()
      const stored = { ...project, id: newId('prj', createdAt), createdAt, updatedAt: createdAt }
      projects.set(stored.id, stored)
      return withCounts(stored)
    },
    async find(ownerId, idOrName) {
      const project = find(ownerId, idOrName)
      return project === undefined ? null : withCounts(project)
    },
    findId: async (ownerId, idOrName) => find(ownerId, idOrName)?.id ?? null,
    async names(ownerId, ids) {
      const wanted = new Set(ids)
      return new Map(ownedBy(ownerId).flatMap(({ id, name }) => (wanted.has(id) ? [[id, name]] : [])))
    },
    async list(ownerId, { limit, cursor }) {
      const after = cursor === undefined ? '' : decodeCursor(cursor, 'string').value
      const rest = ownedBy(ownerId)
        .filter(({ name }) => name > after)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
      return resultPage(rest, limit, ({ name, id }) => ({ value: name, id }), withCounts)
    },
    async update(ownerId, id, change) {
      const project = projects.get(id)
      if (project?.ownerId !== ownerId) return null
      if (change.name !== undefined) refuseTakenName(ownerId, change.name, id)
      return withCounts(Object.assign(project, change, { updatedAt: store.now() }))
    },
    delete: async (ownerId, id) =>
      store.write(() => {
        if (projects.get(id)?.ownerId !== ownerId) return null
        const documents = [...store.documents.values()].filter(({ projectId }) => projectId === id)
        removeDocuments(store, documents)
        projects.delete(id)
        store.synonyms.delete(id)
        return { documentIds: documents.map((document) => document.id) }
      }),
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
