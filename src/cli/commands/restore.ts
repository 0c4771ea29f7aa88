import type { Restored } from '../../contract/backup.ts'
import { countOf } from '../../core/count-of.ts'
import { DocsearchError } from '../../core/errors.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import type { Context } from '../context.ts'
import { defineCommand } from '../define.ts'
import { EXIT } from '../exit.ts'
import { flag, path, pathArgument } from '../options.ts'
import { SNAPSHOT } from './backup/verify.ts'
import { createBar } from '../view/progress-bar.ts'
import { daemonOutput } from './serve.ts'

export default defineCommand({
  name: 'restore',
  summary: 'Restore a data folder from a backup',
  description:
    'Create a data folder from a backup, on this or another machine. The folder must be empty or not exist. The command checks every hash ' +
    'before it puts the files in place. Afterwards, start the instance with `docsearch serve`.',
  arguments: { target: pathArgument('<target>', 'The file or folder of the backup, or - for standard input') },
  options: {
    data: path('--data <folder>', 'Data folder to create (DOCSEARCH_DATA)'),
    snapshot: SNAPSHOT,
    skipDamaged: flag('--skip-damaged', 'If originals are damaged, restore everything else'),
  },
  details:
    'The API keys, logins and passwords of the backup work again, also keys and logins that were revoked later. The restored instance ' +
    'takes no scheduled backups until you set `backup.target` again.',
  examples: [
    'docsearch restore /mnt/backup/docsearch --data ./library',
    'age -d -i key.txt docsearch.tar.age | docsearch restore - --data ./library',
  ],
  async run(context, { target }, options) {
    const { signal } = context.io
    const { refuseTerminal, sizeOfTarget } = await import('../../backup/check.ts')
    if (target === '-') refuseTerminal(context.io.stdin)
    const size = await sizeOfTarget(target)
    const { restoreBackup } = await import('../../serve/restore.ts')
    const bar = createBar(context)
    let bytes = 0
    const onBytes = (more: number) => {
      bytes += more
      bar.show('restore', size === null ? null : bytes, size, formatBytes(bytes))
    }
    try {
      const source = { target, stdin: () => context.io.stdin, snapshot: options.snapshot, signal, onBytes }
      const { data, skipDamaged } = options
      const onPassages = (passages: number) => bar.show('index', null, null, countOf(passages, 'passage'))
      const onSegments = () => bar.show('index', null, null, 'building segments')
      const restored = await restoreBackup({ source, data, skipDamaged, onPassages, onSegments }, daemonOutput(context))
      bar.stop()
      return report(context, restored)
    } catch (error) {
      throw signal.aborted ? new DocsearchError('aborted', 'Cancelled. Nothing was restored.', { cause: error }) : error
    } finally {
      bar.stop()
    }
  },
})

function report(context: Context, restored: Restored): number {
  const { data, documents, trashed, bytes, index, missing, backups_off: backupsOff } = restored
  if (context.json) context.printJson(restored)
  else {
    const trash = trashed === 0 ? '' : `, and ${trashed} in the trash`
    context.printLine(`Restored ${countOf(documents, 'document')}${trash} (${formatBytes(bytes)}) to ${data}.`)
    context.printLine(
      index.state === 'restored'
        ? `The search index was restored with ${countOf(index.passages, 'passage')}: no passage has to be embedded again.`
        : `The search index will be rebuilt when you start the instance: ${index.reason}.`,
    )
  }
  if (backupsOff) context.notice('The restored instance takes no scheduled backups. To take them, set backup.target again.')
  if (missing.length === 0) return EXIT.done
  context.report(missing.map((sha256) => `Original ${sha256} is missing.\n`).join(''))
  context.report(`${countOf(missing.length, 'original')} could not be restored. Everything else was restored.\n`)
  return EXIT.partial
}
