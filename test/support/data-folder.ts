import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Returns the hashes of the originals in a data folder. */
export async function originals(dataDir: string): Promise<string[]> {
  return (await files(join(dataDir, 'blobs'))).map(({ parentPath, name }) => parentPath.slice(-2) + name).toSorted()
}

/** Returns the files of uploads that are being received, or were when the daemon died. */
export async function incoming(dataDir: string): Promise<string[]> {
  return (await files(join(dataDir, 'incoming'))).map(({ name }) => name)
}

async function files(folder: string) {
  return (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
}

/** Returns the result of SQLite's integrity check; `ok` for an intact database. */
export function integrity(dataDir: string): string {
  const db = new DatabaseSync(join(dataDir, 'docsearch.db'))
  try {
    const checks = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
    const orphans = db.prepare('PRAGMA foreign_key_check').all()
    return [...checks.map((row) => row.integrity_check), ...orphans.map((row) => `orphan ${JSON.stringify(row)}`)].join('\n')
  } finally {
    db.close()
  }
}
