import { MAX_EVENTS } from '../../../src/records/events.ts'
import type { Events } from '../../../src/records/events.ts'
import type { MemoryStore } from './store.ts'

export function memoryEvents(store: MemoryStore): Events {
  const eventsOf = (ownerId: string) => store.events.filter((event) => event.ownerId === ownerId)
  return {
    async since(ownerId, afterId, limit) {
      const own = eventsOf(ownerId).filter((event) => event.id > afterId)
      return structuredClone(own.slice(0, limit))
    },
    latestId: async (ownerId) => store.latestEventId(ownerId),
    async resumeAfter(ownerId, id) {
      return store.latestEventId(ownerId, id) || (store.eventTrims.get(ownerId) ?? 0)
    },
    subscribe: (ownerId, listener) => store.subscribe(ownerId, listener),
    async trim(keep = MAX_EVENTS) {
      for (const ownerId of new Set(store.events.map((event) => event.ownerId))) {
        const last = eventsOf(ownerId).at(-keep - 1)
        if (last === undefined) continue
        store.eventTrims.set(ownerId, last.id)
        store.events = store.events.filter((event) => event.ownerId !== ownerId || event.id > last.id)
      }
    },
  }
}
