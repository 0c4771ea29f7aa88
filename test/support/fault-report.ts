import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('../../.cache/faults/report.jsonl', import.meta.url))

/** What one test of the fault suite did. A test that gets this far has lost nothing: it fails at the first document that is missing. */
export interface FaultFigures {
  fault: string
  /** How often the fault was made, or how much work was done under it. */
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
