import type { Finding } from '../core/findings.ts'
import type { OriginalDamage } from '../core/model.ts'
import type { ExpectedBytes, OnRead } from '../blobs/verify.ts'
import type { IndexInspection } from '../index/inspect.ts'
import type { VectorLayout } from '../index/segments/vectors/format.ts'
import type { Inspection, Repairs } from '../records/inspection.ts'
import type { Records } from '../records/records.ts'

/** The settings of the instance that the checks need. */
export interface DoctorSettings {
  ollamaUrl: string
  /** `auto`, `builtin`, `none`, `ollama:MODEL` or the address of an endpoint. */
  reranker: string
  /** Null when no address is set, or when no daemon runs to answer at it. */
  publicUrl: string | null
  /** What is wrong with the settings, none if `serve` would accept them. */
  problems: readonly string[]
}

/** A part of the originals: the `part`th of `of` parts, counted from 1. */
export interface Subset {
  part: number
  of: number
}

/** The originals of an instance. */
export interface OriginalsPlace {
  verify(expected: ExpectedBytes, onRead?: OnRead): Promise<OriginalDamage | null>
  placeOf(sha256: string): string
}

/** The indexes of an instance. */
export interface IndexPlace {
  /** The place of the files, as the subject of a sentence in a finding. */
  name: 'The data folder' | 'The object store'
  /** Reads every file of an index without changing any. Other processes may work with the index at the same time. */
  inspect(index: { id: string; layout: VectorLayout }): Promise<IndexInspection>
  /** Returns the indexes that have files, without those that a process may be making or deleting right now. */
  list(): Promise<string[]>
  /** Removes a file, which the next start makes again. Null if a damaged segment has to be repaired by indexing its documents again. */
  removeFile: ((file: string) => Promise<void>) | null
}

/** The key that decrypts the secrets of webhooks. */
export interface WebhookKeyPlace {
  name: string
  read(): Promise<string | null>
}

/** The parts that checks need from an instance of any kind. */
export interface Scene {
  settings: DoctorSettings
  subset: Subset
  wantsFix: boolean
  /** True when no daemon runs on the data folder. False for an instance with a database and an object store. */
  isAlone: boolean
  /** True when the parent process repairs the index, because its daemon has it open. */
  leavesIndexToParent: boolean
  originals: OriginalsPlace
  index: IndexPlace
  webhookKey: WebhookKeyPlace
  now(): Date
  add(finding: Finding): void
  /** `total` is null while it is unknown. */
  progress(done: number, total: number | null, unit: 'bytes' | 'files'): void
  /** Null when the database can't be read, or has other tables than this version. */
  inspection: Inspection | null
  /** Opens the records when the first finding is repaired. */
  records(): Promise<Records>
  repairs(): Repairs
}

/** The parts that the checks of a data folder need. */
export interface FolderScene extends Scene {
  dataDir: string
}

/** Says what a check has looked at, or why it could not. */
export interface Outcome {
  message: string
  isSkipped?: boolean
}

export type Check = (scene: Scene) => Promise<Outcome>
export type FolderCheck = (scene: FolderScene) => Promise<Outcome>

export const NO_DATABASE: Outcome = { message: 'The database cannot be read.', isSkipped: true }
