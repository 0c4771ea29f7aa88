import { loadConfig } from '../config/load.ts'
import { systemClock } from '../core/clock.ts'
import { DocsearchError } from '../core/errors.ts'
import { openRecords } from '../records/sql/open.ts'
import { createLogger } from './logging.ts'
import { isDataFolder, openDataFolder } from './data-folder.ts'
import type { ServeOutput } from './main.ts'

/**
 * `docsearch reindex`: forgets which index is in use, so that the next `serve` builds it anew from the extracted texts, and from the
 * originals where another version of the parsers read them. Nothing that is the truth is touched. Throws `data_unusable` where no daemon has ever run, `data_in_use` while a daemon runs.
 */
export async function runReindex(flags: Readonly<Record<string, unknown>>, output: ServeOutput): Promise<number> {
  const { config } = await loadConfig(flags, output.env)
  // Opening makes what is missing; a folder that was misspelt is not to become one.
  if (!isDataFolder(config.dataDir))
    throw new DocsearchError(
      'data_unusable',
      `${config.dataDir} holds no documents of docsearch. Name its data folder with --data.`,
    )
  const folder = await openDataFolder(config.dataDir)
  try {
    const records = await openRecords({
      file: folder.database,
      clock: systemClock,
      log: createLogger(config.logLevel, output.stderr),
    })
    try {
      await records.indexes.clear()
      const { ready } = await records.queue.counts()
      output.stdout.write(
        output.json
          ? `${JSON.stringify({ reindexed: ready })}\n`
          : `${ready} ${ready === 1 ? 'document' : 'documents'} will be indexed anew at the next start of docsearch serve\n`,
      )
    } finally {
      await records.close()
    }
  } finally {
    await folder.close()
  }
  return 0
}
