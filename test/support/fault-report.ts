import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('../../.cache/faults/report.jsonl', import.meta.url))

/** What one test of the fault suite did. A test that reports figures has lost nothing, because it fails at the first missing document. */
export interface FaultFigures {
  fault: string
  /** How often the test caused the fault, or how much work it did during the fault. */
  tried: number
  /** How many acknowledged documents were compared with the instance afterwards. */
  documents: number
}

/** Adds figures to the report of the fault suite. */
export function reportFaults(figures: FaultFigures): void {
  mkdirSync(dirname(FILE), { recursive: true })
  appendFileSync(FILE, `${JSON.stringify(figures)}\n`)
}

/** Returns the figures since the last call of `clearFaults`. */
export function reportedFaults(): FaultFigures[] {
  try {
    return readFileSync(FILE, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as FaultFigures)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export function clearFaults(): void {
  rmSync(FILE, { force: true })
}
