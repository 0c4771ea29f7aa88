import type { Migrated } from '../../contract/migrate.ts'
import { countOf } from '../../core/count-of.ts'
import { DocsearchError } from '../../core/errors.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import type { Context } from '../context.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { required, text } from '../options.ts'
import { createBar } from '../view/progress-bar.ts'
import { daemonOutput } from './serve.ts'

export default defineCommand({
  name: 'migrate',
  summary: 'Move an instance to a database and an object store, or back',
  description:
    'Move all documents of a data folder to a PostgreSQL database and an object store, where several processes can share them, or move them ' +
    'back to a folder. Users, API keys, project settings and document IDs stay the same. Stop the instance first. If the command ' +
    'is interrupted, run it again: it continues where it stopped.',
  options: {
    to: required(text('--to <place>', 'The database as postgres://user@host/name, or a new folder')),
    store: text('--store <address>', 'Object store to use with the database, such as s3://bucket/prefix (DOCSEARCH_STORE)'),
    data: text('--data <folder>', 'Data folder to move to a database (DOCSEARCH_DATA)'),
    database: text('--database <address>', 'Database to move to a folder (DOCSEARCH_DATABASE)'),
  },
  details:
    '\nThe old place keeps its data, but docsearch no longer starts there. Set the password of the database in PGPASSWORD or a service file, ' +
    'and the endpoint and keys of the object store in the standard AWS variables, such as AWS_ENDPOINT_URL and AWS_ACCESS_KEY_ID.',
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
        ? new DocsearchError(
            'aborted',
            'Cancelled. The documents are still at the old place. Run the command again to continue.',
            {
              cause: error,
            },
          )
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
        ? `Copied the search index with ${countOf(index.passages, 'passage')}. No passage has to be embedded again.`
        : `The search index was not copied, because ${index.reason}. The instance will build it when you start it.`,
    )
  }
  if (missing.length === 0) return EXIT.done
  context.report(missing.map((sha256) => `Original ${sha256} is missing or damaged.\n`).join(''))
  context.report(`Could not move ${countOf(missing.length, 'original')}. Everything else was moved.\n`)
  return EXIT.partial
}
