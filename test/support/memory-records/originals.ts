import type { DocumentWarning } from '../../../src/core/model.ts'
import type { DamagedOriginal, Originals, ScrubProgress } from '../../../src/records/originals.ts'
import { damageWarning, withoutDamageWarning } from '../../../src/records/rules.ts'
import type { MemoryStore } from './store.ts'

export function memoryOriginals(store: MemoryStore): Originals {
  const damaged = new Map<string, DamagedOriginal>()
  let saved: ScrubProgress | null = null

  function all(): { sha256: string; sizeBytes: number }[] {
    const documents = [...store.documents.values(), ...store.trash.values()]
    const sizes = new Map(documents.map(({ sha256, sizeBytes }) => [sha256, sizeBytes]))
    return [...sizes].map(([sha256, sizeBytes]) => ({ sha256, sizeBytes })).toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
  }

  function changeWarnings(sha256: string, change: (warnings: DocumentWarning[]) => DocumentWarning[]): void {
    for (const document of store.documents.values()) if (document.sha256 === sha256) document.warnings = change(document.warnings)
  }

  return {
    list: async ({ after, limit }) =>
      all()
        .filter(({ sha256 }) => after === null || sha256 > after)
        .slice(0, limit),
    async totals() {
      const originals = all()
      return { originals: originals.length, bytes: originals.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) }
    },
    async damaged() {
      const there = new Set(all().map(({ sha256 }) => sha256))
      return [...damaged.values()].filter(({ sha256 }) => there.has(sha256)).toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))
    },
    damagedAmong: async (sha256s) => new Set(sha256s.filter((sha256) => damaged.has(sha256))),
    markDamaged: async (sha256, damage) =>
      store.write(() => {
        const foundAt = damaged.get(sha256)?.foundAt ?? store.clock.now()
        damaged.set(sha256, { sha256, damage, foundAt })
        changeWarnings(sha256, (warnings) => [...withoutDamageWarning(warnings), damageWarning(damage)])
      }),
    markIntact: async (sha256) =>
      store.write(() => {
        if (damaged.delete(sha256)) changeWarnings(sha256, withoutDamageWarning)
      }),
    progress: async () => saved,
    async saveProgress(progress) {
      saved = progress
    },
  }
}
