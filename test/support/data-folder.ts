import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Hashes of the originals that lie in a data folder. */
export async function originals(dataDir: string): Promise<string[]> {
  return (await files(join(dataDir, 'blobs'))).map(({ parentPath, name }) => parentPath.slice(-2) + name).toSorted()
}

/** Files of uploads that are being received, or were when the daemon died. */
export async function incoming(dataDir: string): Promise<string[]> {
  return (await files(join(dataDir, 'incoming'))).map(({ name }) => name)
}

async function files(folder: string) {
  return (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
}

/** What SQLite says of the whole database; `ok` when nothing is wrong. */
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
