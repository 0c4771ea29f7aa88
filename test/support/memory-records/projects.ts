import { newId } from '../../../src/core/ids.ts'
import type { Project, ProjectCounts } from '../../../src/core/model.ts'
import { projectExists } from '../../../src/records/errors.ts'
import { decodeCursor, resultPage } from '../../../src/records/result-page.ts'
import type { Projects, ProjectWithCounts } from '../../../src/records/projects.ts'
import { countStatuses, removeDocuments } from './document-changes.ts'
import type { MemoryStore } from './store.ts'

export function memoryProjects(store: MemoryStore): Projects {
  const { projects } = store
  const withCounts = (project: Project): ProjectWithCounts => ({ ...project, counts: countsOf(store, project.id) })

  function refuseTakenName(ownerId: string, name: string, exceptId?: string): void {
    const own = [...projects.values()].filter((project) => project.ownerId === ownerId)
    if (own.some((project) => project.name === name && project.id !== exceptId)) throw projectExists(name)
  }

  return {
    async create(project) {
      refuseTakenName(project.ownerId, project.name)
      const createdAt = store.now()
      const stored = { ...project, id: newId('prj', createdAt), createdAt, updatedAt: createdAt }
      projects.set(stored.id, stored)
      store.members.push({ projectId: stored.id, userId: project.ownerId, role: 'manager' })
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
        .filter(({ id, name }) => after === null || name > after.value || (name === after.value && id > after.id))
        .sort((a, b) => (a.name < b.name || (a.name === b.name && a.id < b.id) ? -1 : 1))
      return resultPage(rest, limit, ({ name, id }) => ({ value: name, id }), withCounts)
    },
    async update(id, change) {
      const project = projects.get(id)
      if (project === undefined) return null
      if (change.name !== undefined) refuseTakenName(project.ownerId, change.name, id)
      return withCounts(Object.assign(project, change, { updatedAt: store.now() }))
    },
    delete: async (id) =>
      store.write(() => {
        if (!projects.has(id)) return null
        const documents = [...store.documents.values()].filter(({ projectId }) => projectId === id)
        removeDocuments(store, documents)
        if (documents.length === 0) store.members = store.members.filter(({ projectId }) => projectId !== id)
        projects.delete(id)
        store.synonyms.delete(id)
        store.forgetVocabulary(id)
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
