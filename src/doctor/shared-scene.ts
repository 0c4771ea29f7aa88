import type { Blobs } from '../blobs/blobs.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { Inspection, Repairs } from '../records/inspection.ts'
import type { Records } from '../records/records.ts'
import type { Outcome, Scene } from './scene.ts'

/** The database and the object store of an instance. */
export interface SharedParts {
  inspection: Inspection
  objects: ObjectStore
  /** The address of the object store. */
  address: string
  blobs: Pick<Blobs, 'verify' | 'sweep'>
  /** A folder for copies of files while the checks read them. */
  folder: string
  /** Opens the records when the first finding is repaired. */
  records(): Promise<Records>
  repairs(): Repairs
  /** Returns the key that decrypts the secrets of webhooks. */
  webhookKey(): Promise<string | null>
  /** Returns the ID of the instance; null if it has none yet. */
  instanceId(): Promise<string | null>
  now(): Date
}

/** The parts that the checks of a database and an object store need. */
export interface SharedScene extends Scene {
  parts: SharedParts
}

export type SharedCheck = (scene: SharedScene) => Promise<Outcome>
