import { execFile } from 'node:child_process'
import { globSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { DoctorReport } from '../../src/contract/doctor.ts'
import { BIN } from './daemon.ts'
import type { Instance } from './instance.ts'

export type Damage = 'emptied' | 'cut off' | 'changed' | 'deleted'

/** The damage that a bad disk, a crash or an operator does to a file. */
export const DAMAGES: Record<Damage, (file: string) => void> = {
  emptied: (file) => truncateSync(file, 0),
  'cut off': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  changed(file) {
    const bytes = readFileSync(file)
    const at = Math.floor(bytes.length / 2)
    bytes[at]! ^= 0x10
    writeFileSync(file, bytes)
  },
  deleted: (file) => rmSync(file),
}

/** Returns the first file that matches. */
export function findIn(folder: string, pattern: string): string {
  const [file] = globSync(join(folder, pattern)).toSorted()
  expect(file, `nothing matches ${pattern}`).toBeDefined()
  return file!
}

/** Runs `docsearch doctor` on the data folder of an instance. */
export function runDoctor(
  instance: Instance,
  ...args: string[]
): Promise<{ code: number | null; report: DoctorReport; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [BIN, 'doctor', '--data', instance.dataDir, '--json', ...args],
      { env: instance.env },
      (_error, stdout, stderr) => {
        const report = stdout.startsWith('{')
          ? (JSON.parse(stdout) as DoctorReport)
          : { status: 'ok' as const, checks: [], findings: [] }
        resolve({ code: child.exitCode, report, output: stdout + stderr })
      },
    )
  })
}
