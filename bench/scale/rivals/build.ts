import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildFts5, serveFts5 } from './fts5.ts'
import { buildLanceDb } from './lancedb.ts'
import { buildPostgres } from './postgres.ts'
import type { BuildRival, Rival, RivalInput, RivalServer } from './rival.ts'
import { buildXapian } from './xapian.ts'

const RIVALS: Record<string, BuildRival> = {
  fts5: buildFts5,
  xapian: buildXapian,
  postgres: buildPostgres,
  lancedb: buildLanceDb,
}
export const RIVAL_NAMES = Object.keys(RIVALS)

export interface Rivals {
  built: Rival[]
  /** SQLite FTS5 behind an HTTP server like docsearch's. */
  server: RivalServer | null
  /** The names of rivals that this machine lacks, with the reason. */
  missing: { name: string; reason: string }[]
  close(): Promise<void>
}

/** Builds the rivals one after the other, in a temporary folder. */
export async function buildRivals(names: readonly string[], input: Omit<RivalInput, 'folder'>): Promise<Rivals> {
  const root = mkdtempSync(join(tmpdir(), 'docsearch-bench-rivals-'))
  // PostgreSQL runs as another user when this process is root.
  chmodSync(root, 0o755)
  const built: Rival[] = []
  const missing: Rivals['missing'] = []
  for (const name of names) {
    const folder = join(root, name)
    await mkdir(folder)
    const rival = await RIVALS[name]!({ ...input, folder })
    if (typeof rival === 'string') missing.push({ name, reason: rival })
    else built.push(rival)
    console.error(
      typeof rival === 'string' ? `${name}: ${rival}` : `${rival.name} built in ${Math.round(rival.buildMs / 1000)} s`,
    )
  }
  const server = names.includes('fts5') ? await serveFts5(join(root, 'fts5')) : null
  return {
    built,
    server,
    missing,
    async close() {
      await server?.close()
      for (const rival of built) await rival.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
