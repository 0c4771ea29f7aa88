import { loadConfig } from '../config/load.ts'
import { systemClock } from '../core/clock.ts'
import { countOf } from '../core/count-of.ts'
import { DocsearchError } from '../core/errors.ts'
import { openRecords } from '../records/sql/open.ts'
import { createLogger } from './logging.ts'
import { isDataFolder, keepFilesPrivate, openDataFolder } from './data-folder.ts'
import type { ServeOutput } from './main.ts'
import { requireDataFolder } from './shared-instance.ts'
import { VERSION } from './version.ts'

/**
 * Runs `docsearch reindex`: forgets which index is active, so that the next `serve` rebuilds it from the extracted texts, or from the originals
 * that another version of the parsers has read. Documents, texts and accounts stay as they are. Throws `data_unusable` when no daemon has ever run on
 * the folder, `data_in_use` while a daemon runs.
 */
export async function runReindex(flags: Readonly<Record<string, unknown>>, output: ServeOutput): Promise<number> {
  keepFilesPrivate()
  const { config } = await loadConfig(flags, output.env)
  requireDataFolder(config)
  // Opening creates what is missing. Don't create a data folder from a mistyped path.
  if (!isDataFolder(config.dataDir))
    throw new DocsearchError(
      'data_unusable',
      `${config.dataDir} is not a docsearch data folder. Name the data folder with --data.`,
    )
  const folder = await openDataFolder(config.dataDir)
  try {
    const records = await openRecords({
      file: folder.database,
      clock: systemClock,
      log: createLogger(config.logLevel, output.stderr),
      upgrade: { version: VERSION, notify: output.say },
    })
    try {
      await records.indexes.clear()
      const { ready } = await records.queue.counts()
      output.stdout.write(
        output.json
          ? `${JSON.stringify({ reindexed: ready })}\n`
          : `${countOf(ready, 'document')} will be indexed again at the next start of docsearch serve\n`,
      )
    } finally {
      await records.close()
    }
  } finally {
    await folder.close()
  }
  return 0
}
