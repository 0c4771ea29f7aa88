import type { Migrated } from '../../contract/migrate.ts'
import { countOf } from '../../core/count-of.ts'
import { DocsearchError } from '../../core/errors.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import type { Context } from '../context.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { required, text } from '../options.ts'
import { createBar } from './bar.ts'
import { daemonOutput } from './serve.ts'

export default defineCommand({
  name: 'migrate',
  summary: 'Move an instance to a database and an object store, or back',
  description:
    'Move all documents of a data folder to a PostgreSQL database and an object store, where several processes can share them, or move them ' +
    'back to a folder. Users, API keys, settings of projects and the IDs of documents stay the same. Stop the instance first. If the command ' +
    'is interrupted, run it again: it goes on where it stopped.',
  options: {
    to: required(text('--to <place>', 'The database as postgres://user@host/name, or a new folder')),
    store: text('--store <address>', 'Object store that belongs to the database, such as s3://bucket/prefix (DOCSEARCH_STORE)'),
    data: text('--data <folder>', 'Data folder to move to a database (DOCSEARCH_DATA)'),
    database: text('--database <address>', 'Database to move to a folder (DOCSEARCH_DATABASE)'),
  },
  details:
    '\nThe old place keeps its files, but no instance starts there any more. Put the password of the database into PGPASSWORD or a service ' +
    'file. The object store reads the standard variables of AWS, such as AWS_ENDPOINT_URL and AWS_ACCESS_KEY_ID.',
  examples: [
    'docsearch migrate --data ./library --to postgres://docsearch@db.example/docsearch --store s3://docsearch/main',
    'docsearch migrate --database postgres://docsearch@db.example/docsearch --store s3://docsearch/main --to ./library',
  ],
  async run(context, _arguments, options) {
    const { signal } = context.io
    const { migrate } = await import('../../serve/migrate/migrate.ts')
    const bar = createBar(context)
    const hooks = {
      signal,
      onOriginals: (bytes: number, total: number) => bar.show('originals', bytes, total, formatBytes(bytes)),
      onRecords: () => bar.show('records', null, null, 'copying'),
      onPassages: (passages: number) => bar.show('index', null, null, countOf(passages, 'passage')),
    }
    try {
      const migrated = await migrate({ ...options, ...hooks }, daemonOutput(context))
      bar.stop()
      return report(context, migrated)
    } catch (error) {
      throw signal.aborted
        ? new DocsearchError('aborted', 'Cancelled. The documents are still at the old place. Run the command again to go on.', {
            cause: error,
          })
        : error
    } finally {
      bar.stop()
    }
  },
})

function report(context: Context, migrated: Migrated): number {
  const { to, documents, trashed, bytes, missing, index } = migrated
  if (context.json) context.printJson(migrated)
  else {
    const trash = trashed === 0 ? '' : `, and ${trashed} in the trash`
    context.printLine(`Moved ${countOf(documents, 'document')}${trash} (${formatBytes(bytes)}) to ${to}.`)
    context.printLine(
      index.state === 'copied'
        ? `The search index was copied with ${countOf(index.passages, 'passage')}: no passage has to be embedded again.`
        : `The search index will be built when you start the instance: ${index.reason}.`,
    )
  }
  if (missing.length === 0) return EXIT.done
  context.report(missing.map((sha256) => `Original ${sha256} is missing or damaged.\n`).join(''))
  context.report(`${countOf(missing.length, 'original')} could not be moved. Everything else was moved.\n`)
  return EXIT.partial
}
