import type { Finding } from '../core/findings.ts'
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

/** What every check of a data folder works with. */
export interface Scene {
  dataDir: string
  settings: DoctorSettings
  subset: Subset
  wantsFix: boolean
  /** True when no daemon runs on the folder. */
  isAlone: boolean
  /** True when the parent process repairs the index, because its daemon has it open. */
  leavesIndexToParent: boolean
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

/** Says what a check has looked at, or why it could not. */
export interface Outcome {
  message: string
  isSkipped?: boolean
}

export type Check = (scene: Scene) => Promise<Outcome>

export const NO_DATABASE: Outcome = { message: 'The database cannot be read.', isSkipped: true }
