import { MAX_EVENTS } from '../../../src/records/events.ts'
import type { Events } from '../../../src/records/events.ts'
import type { MemoryStore } from './store.ts'

export function memoryEvents(store: MemoryStore): Events {
  return {
    async since(ownerId, afterId, limit) {
      const own = store.events.filter((event) => event.ownerId === ownerId && event.id > afterId)
      return structuredClone(own.slice(0, limit))
    },
    latestId: async () => store.events.at(-1)?.id ?? 0,
    subscribe: (ownerId, listener) => store.subscribe(ownerId, listener),
    async trim() {
      store.events = store.events.slice(-MAX_EVENTS)
    },
  }
}
