import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { folderSize } from '../../../test/support/folder-size.ts'
import { residentMemory } from '../../../test/support/memory.ts'
import { withClient } from '../../../test/support/postgres-server.ts'
import { peakMemory } from '../../ingest.ts'
import { megabytes } from '../../measure.ts'
import { kilobytes, type Report } from './report.ts'
import type { System } from './system.ts'

const TABLES = 8

/** Adds the bytes in the store, in the database, in the folders of processes, and in memory. */
export async function measureSizes({ cluster, single, apis, writer, database, passages }: System, report: Report): Promise<void> {
  const count = await passages()
  const size = (bytes: number) => `${megabytes(bytes)}, ${kilobytes(bytes / count)} for each passage`
  report.add('passages', String(count))
  const instance = join(cluster.store.folder, 'instance')
  for (const name of readdirSync(instance)) report.add(`store, ${name}`, size(folderSize(join(instance, name))))
  await withClient(cluster.env.DOCSEARCH_DATABASE!, async (client) => {
    const { rows } = await client.query<{ bytes: string }>('select pg_database_size($1) as bytes', [database])
    report.add('PostgreSQL', size(Number(rows[0]!.bytes)))
    const tables = await client.query<{ name: string; bytes: string; rows: string }>(
      `select relname as name, pg_total_relation_size(relid) as bytes, n_live_tup as rows
       from pg_stat_user_tables order by 2 desc limit ${TABLES}`,
    )
    for (const { name, bytes, rows } of tables.rows)
      report.add(`PostgreSQL, table ${name}`, `${size(Number(bytes))}, ${rows} rows`)
  })
  for (const { name, daemon } of [...apis, writer]) {
    for (const folder of readdirSync(daemon.dataDir, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
      report.add(`folder of ${name}, ${folder.name}`, size(folderSize(join(daemon.dataDir, folder.name))))
    report.add(
      `memory of ${name}, now; peak`,
      `${megabytes(residentMemory(daemon.pid))}; ${megabytes(peakMemory(daemon.pid) ?? 0)}`,
    )
  }
  const folders = ['lance', 'segments', 'blobs'].map(
    (name) => `${name} ${megabytes(folderSize(join(single.daemon.dataDir, name)))}`,
  )
  report.add('data folder of one process', `${folders.join(', ')}, all ${size(folderSize(single.daemon.dataDir))}`)
  report.add(
    'memory of one process, now; peak',
    `${megabytes(residentMemory(single.daemon.pid))}; ${megabytes(peakMemory(single.daemon.pid) ?? 0)}`,
  )
}
