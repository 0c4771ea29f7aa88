import pLimit from 'p-limit'
import type { PassageTableStore } from '../passage-table.ts'
import { tableNames, tablesAmong } from './names.ts'
import { FOLDER, partsOf, tablesIn } from './shared-tables.ts'
import type { SharedTableStoreOptions } from './shared-open.ts'

const DELETED_AT_ONCE = 16

/**
 * Creates a store that keeps each index in LanceDB tables in an object store. Any number of processes may read a table and even write to it:
 * LanceDB writes each version with `If-None-Match`.
 */
export function createSharedTableStore(options: SharedTableStoreOptions): PassageTableStore {
  const { objects } = options
  async function* keysOf(indexId: string): AsyncGenerator<{ key: string; size: number }> {
    const { part } = tableNames(indexId)
    for (const number of await partsOf(objects, indexId)) yield* objects.list(`${FOLDER}${part(number)}.lance/`)
  }
  return {
    async open(index) {
      // LanceDB writes its own log to standard error. Its warnings, about retries or deprecations, don't help an operator.
      process.env['LANCEDB_LOG'] ??= 'error'
      const { openSharedTable } = await import('./shared-open.ts')
      return openSharedTable(index, options)
    },

    async list() {
      return [...tablesAmong(await tablesIn(objects, FOLDER)).keys()]
    },

    async size(indexId) {
      let bytes = 0
      for await (const { size } of keysOf(indexId)) bytes += size
      return bytes
    },

    async drop(indexId) {
      const inTurn = pLimit(DELETED_AT_ONCE)
      const keys: string[] = []
      for await (const { key } of keysOf(indexId)) keys.push(key)
      await Promise.all(keys.map((key) => inTurn(() => objects.delete(key))))
    },
  }
}
