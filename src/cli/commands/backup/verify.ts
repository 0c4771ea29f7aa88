import type { CheckedBackup } from '../../../backup/check.ts'
import { countOf } from '../../../core/count-of.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { EXIT } from '../../exit.ts'
import { pathArgument, text } from '../../options.ts'
import { createBar } from '../../view/progress-bar.ts'

export const SNAPSHOT = text('--snapshot <name>', 'Name of the backup in the folder (default: the newest)')

export default defineCommand({
  name: 'verify',
  summary: 'Check every hash of a backup',
  description:
    'Read a backup completely and compare every file with its hash. The exit code is 3 if only originals are damaged or missing, and 7 if ' +
    'the backup cannot be restored.',
  arguments: { target: pathArgument('<target>', 'The file, the folder, or - for standard input') },
  options: { snapshot: SNAPSHOT },
  examples: ['docsearch backup verify /mnt/backup/docsearch', 'zstd -dc backup.tar.zst | docsearch backup verify -'],
  async run(context, { target }, { snapshot }) {
    const { checkBackup } = await import('../../../backup/check.ts')
    const bar = createBar(context)
    const { signal } = context.io
    try {
      const reading = await source(context, target)
      let bytes = 0
      const onBytes = (more: number) => {
        bytes += more
        bar.show('verify', reading.size === null ? null : bytes, reading.size, formatBytes(bytes))
      }
      const result = await checkBackup({ target, stdin: () => context.io.stdin, snapshot, signal, onBytes })
      bar.stop()
      return report(context, target, result)
    } catch (error) {
      throw signal.aborted ? new DocsearchError('aborted', 'Cancelled.', { cause: error }) : error
    } finally {
      bar.stop()
    }
  },
})

/** Returns the size of a tar file for the progress bar. */
async function source({ io }: Context, target: string): Promise<{ size: number | null }> {
  const { refuseTerminal, sizeOfTarget } = await import('../../../backup/check.ts')
  if (target === '-') refuseTerminal(io.stdin)
  return { size: await sizeOfTarget(target) }
}

function report(context: Context, target: string, { manifest, faults, isRestorable, bytes }: CheckedBackup): number {
  const { documents, trashed, originals, failed, created_at: createdAt, docsearch_version: version } = manifest
  const result = {
    target,
    ok: faults.length === 0,
    created_at: createdAt,
    docsearch_version: version,
    documents,
    trashed,
    originals: Object.keys(originals).length,
    bytes,
    failed,
    faults,
  }
  if (context.json) context.printJson(result)
  for (const { path, fault } of faults) context.report(`${path} is ${fault}\n`)
  if (faults.length === 0) {
    const lacking = failed.length === 0 ? '' : ` ${countOf(failed.length, 'original')} could not be backed up at that time.`
    if (!context.json)
      context.printLine(
        `OK: ${countOf(documents, 'document')} of ${createdAt}, ${formatBytes(bytes)}, every hash is correct.${lacking}`,
      )
    return EXIT.done
  }
  const outcome = isRestorable
    ? 'The rest is intact: `docsearch restore --skip-damaged` restores it.'
    : 'The backup cannot be restored. Use another backup.'
  context.report(
    `${countOf(faults.length, 'file')} of the backup ${faults.length === 1 ? 'is' : 'are'} damaged or missing. ${outcome}\n`,
  )
  return isRestorable ? EXIT.partial : EXIT.instance
}
