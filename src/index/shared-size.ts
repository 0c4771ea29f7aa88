import type { ObjectStore } from '../objects/object-store.ts'
import { FOLDER } from './passages/shared-names.ts'

/** The folder of the segments of all indexes in the object store. */
export const SEGMENTS = 'segments/'

/** Returns how many bytes all indexes take in an object store, including files that no index needs any more. */
export async function sharedIndexBytes(objects: Pick<ObjectStore, 'list'>): Promise<number> {
  let bytes = 0
  for (const folder of [FOLDER, SEGMENTS]) for await (const { size } of objects.list(folder)) bytes += size
  return bytes
}
