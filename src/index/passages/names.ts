import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DocsearchError } from '../../core/errors.ts'

const SUFFIX = '.lance'
const ID = '[A-Za-z0-9_-]{1,100}'
const INDEX_ID = new RegExp(`^${ID}$`)
const PART = new RegExp(`^passages_(${ID})\\.(\\d{1,6})\\${SUFFIX}$`)
/** The only table of an index before version 0.2. */
const OLD = new RegExp(`^chunks_(${ID})\\${SUFFIX}$`)
/** The old table after its conversion. It only has to be deleted. */
const CONVERTED = new RegExp(`^converted_(${ID})\\${SUFFIX}$`)

/** Returns whether a name is a valid ID of an index. The ID becomes part of the names of folders. */
export function isIndexId(name: string): boolean {
  return INDEX_ID.test(name)
}

/** The names of an index's tables in the LanceDB database. LanceDB adds the suffix. */
export interface TableNames {
  indexId: string
  part(number: number): string
  old: string
  converted: string
}

export function tableNames(indexId: string): TableNames {
  if (!isIndexId(indexId)) {
    throw new DocsearchError('index_failed', 'The ID of an index has characters that a folder name cannot have.')
  }
  const part = (number: number) => `passages_${indexId}.${number}`
  return { indexId, part, old: `chunks_${indexId}`, converted: `converted_${indexId}` }
}

export function tableFolder(folder: string, table: string): string {
  return join(folder, table + SUFFIX)
}

/** The tables of an index that have a folder. `parts` are the numbers of its parts, in order. */
export interface TableFolders {
  parts: number[]
  old: string | null
  converted: string | null
}

/** Returns the tables of each index. */
export async function listTables(folder: string): Promise<Map<string, TableFolders>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return tablesAmong(names, folder)
}

/** Returns the numbers of the parts of an index, in order. `names` are the names of folders. */
export function partNumbers(names: readonly string[], indexId: string): number[] {
  return tablesAmong(names).get(indexId)?.parts ?? []
}

/** Returns the tables of each index, by the names of their folders. */
export function tablesAmong(names: readonly string[], folder = ''): Map<string, TableFolders> {
  const found = new Map<string, TableFolders>()
  const of = (id: string): TableFolders => {
    const folders = found.get(id) ?? { parts: [], old: null, converted: null }
    found.set(id, folders)
    return folders
  }
  for (const name of names) {
    const [, id, number] = PART.exec(name) ?? []
    if (id !== undefined) of(id).parts.push(Number(number))
    const old = OLD.exec(name)?.[1]
    if (old !== undefined) of(old).old = join(folder, name)
    const converted = CONVERTED.exec(name)?.[1]
    if (converted !== undefined) of(converted).converted = join(folder, name)
  }
  for (const { parts } of found.values()) parts.sort((a, b) => a - b)
  return found
}
