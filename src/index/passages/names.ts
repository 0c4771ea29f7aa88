import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DocsearchError } from '../../core/errors.ts'

const SUFFIX = '.lance'
const ID = '[A-Za-z0-9_-]{1,100}'
const INDEX_ID = new RegExp(`^${ID}$`)
const PART = new RegExp(`^passages_(${ID})\\.(\\d{1,6})\\${SUFFIX}$`)

/** Returns whether a name is a valid ID of an index. The ID becomes part of the names of folders. */
export function isIndexId(name: string): boolean {
  return INDEX_ID.test(name)
}

/** The names of an index's tables in the LanceDB database. LanceDB adds the suffix. */
export interface TableNames {
  indexId: string
  part(number: number): string
}

export function tableNames(indexId: string): TableNames {
  if (!isIndexId(indexId)) {
    throw new DocsearchError('index_failed', 'The ID of an index has characters that a folder name cannot have.')
  }
  const part = (number: number) => `passages_${indexId}.${number}`
  return { indexId, part }
}

export function tableFolder(folder: string, table: string): string {
  return join(folder, table + SUFFIX)
}

/** Returns the numbers of the parts of each index that have a folder, in order. */
export async function listTables(folder: string): Promise<Map<string, number[]>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return tablesAmong(names)
}

/** Returns the numbers of the parts of an index, in order. `names` are the names of folders. */
export function partNumbers(names: readonly string[], indexId: string): number[] {
  return tablesAmong(names).get(indexId) ?? []
}

/** Returns the numbers of the parts of each index, in order, by the names of their folders. */
export function tablesAmong(names: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const name of names) {
    const [, id, number] = PART.exec(name) ?? []
    if (id !== undefined) found.set(id, [...(found.get(id) ?? []), Number(number)])
  }
  for (const parts of found.values()) parts.sort((a, b) => a - b)
  return found
}
