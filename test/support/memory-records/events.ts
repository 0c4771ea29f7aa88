import { DELETED_PROJECT_MS, MAX_EVENTS } from '../../../src/records/events.ts'
import type { Events } from '../../../src/records/events.ts'
import type { ProjectIds } from '../../../src/records/projects.ts'
import type { MemoryStore } from './store.ts'

export function memoryEvents(store: MemoryStore): Events {
  const eventsOf = (projects: ProjectIds) => store.events.filter((event) => projects.has(event.projectId))
  const latestId = (projects: ProjectIds, limit = Infinity) => eventsOf(projects).findLast(({ id }) => id <= limit)?.id ?? 0
  return {
    async since(projects, afterId, limit) {
      const own = eventsOf(projects).filter((event) => event.id > afterId)
      return structuredClone(own.slice(0, limit))
    },
    latestId: async (projects) => latestId(projects),
    async resumeAfter(projects, id) {
      const trimmedId = Math.max(0, ...[...projects].map((project) => store.eventTrims.get(project) ?? 0))
      const isKnown = id === 0 || id === trimmedId || store.events.some((event) => event.id === id)
      const isRecent = id === 0 || id > store.now().getTime() - DELETED_PROJECT_MS
      if (isKnown && isRecent && trimmedId <= id) return { afterId: id, hasMissed: false }
      return { afterId: Math.max(isKnown ? id : latestId(projects, id), trimmedId), hasMissed: true }
    },
    subscribe: (listener) => store.subscribe(listener),
    async trim(keep = MAX_EVENTS) {
      for (const projectId of new Set(store.events.map((event) => event.projectId))) {
        const last = eventsOf(new Set([projectId])).at(-keep - 1)
        if (last === undefined) continue
        store.eventTrims.set(projectId, last.id)
        store.events = store.events.filter((event) => event.projectId !== projectId || event.id > last.id)
      }
      const before = store.now().getTime() - DELETED_PROJECT_MS
      const isForgotten = (id: string) =>
        !store.projects.has(id) &&
        (!store.members.some(({ projectId }) => projectId === id) ||
          eventsOf(new Set([id])).every(({ createdAt }) => createdAt.getTime() < before))
      const forgotten = new Set([...store.members, ...store.events].map(({ projectId }) => projectId).filter(isForgotten))
      store.events = store.events.filter(({ projectId }) => !forgotten.has(projectId))
      store.members = store.members.filter(({ projectId }) => !forgotten.has(projectId))
    },
    key: async () => 'a key',
  }
}
