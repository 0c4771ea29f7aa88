import type { ObjectStore } from '../../objects/object-store.ts'
import { partNumbers, tableNames } from './names.ts'

/** The folder of all tables in the object store. */
export const FOLDER = 'lance/'
/** Comes after every key in the folder of a table and before the keys of the next table. */
const PAST_FOLDER = '0'

/** Returns the numbers of the parts of an index, in order. */
export async function partsOf(objects: ObjectStore, indexId: string): Promise<number[]> {
  const prefix = tableNames(indexId).part(0).slice(0, -1)
  return partNumbers(await tablesIn(objects, FOLDER + prefix), indexId)
}

/** Returns the names of the folders of tables whose keys begin with `prefix`. Reads one key of each. */
export async function tablesIn(objects: ObjectStore, prefix: string): Promise<string[]> {
  const names: string[] = []
  for (let after: string | undefined; ;) {
    const { value: first } = await objects.list(prefix, after).next()
    if (first === undefined) return names
    const [name = ''] = first.key.slice(FOLDER.length).split('/')
    names.push(name)
    after = FOLDER + name + PAST_FOLDER
  }
}
