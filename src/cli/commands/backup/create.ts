import type { Readable } from 'node:stream'
import type { BackupManifest } from '../../../contract/backup.ts'
import { countOf } from '../../../core/count-of.ts'
import { DocsearchError } from '../../../core/errors.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import type { Context } from '../../context.ts'
import { defineCommand } from '../../define.ts'
import { EXIT, usage } from '../../exit.ts'
import { flag, integer, option, pathArgument } from '../../options.ts'
import { dataFolder, DATA_OPTIONS, hintAtData } from '../administer.ts'
import { createBar, type Bar } from '../../view/progress-bar.ts'
import { daemonOutput } from '../serve.ts'

const DEFAULT_KEEP = 7

interface Options {
  withVectors: boolean
  keep: number | undefined
  force: boolean
  data: string | undefined
}

/** Returns a tar of everything that the receiver lacks. */
type Open = (known: ReadonlySet<string>) => Promise<{ stream: Readable; sizeBytes: number | null; isRecorded: Promise<unknown> }>

interface Received {
  manifest: BackupManifest
  /** Only for a folder: the name of the backup in it, and how many originals are new. */
  added?: { snapshot: string; newOriginals: number }
}

export default defineCommand({
  name: 'create',
  summary: 'Take a backup',
  arguments: { target: pathArgument('<target>', 'A folder, a file that ends with .tar, or - for standard output') },
  options: {
    ...DATA_OPTIONS,
    withVectors: flag('--with-vectors', 'Include the passages with their vectors, so that `restore` does not embed them again'),
    keep: option('--keep <number>', `How many backups the folder keeps (default ${DEFAULT_KEEP})`, integer(1)),
    force: flag('-f, --force', 'Overwrite an existing file'),
  },
  details:
    'A folder keeps several backups, which share their originals: each backup adds only originals that are new. Without --data, the ' +
    'command backs up the instance over its API. Only the owner of the instance can do this, with a credential that has the scopes ' +
    'read:documents, write:documents and manage:keys.',
  examples: [
    'docsearch backup /mnt/backup/docsearch',
    'docsearch backup docsearch.tar --with-vectors',
    'docsearch backup - | age -r age1… > docsearch.tar.age',
    'docsearch backup verify docsearch.tar',
  ],
  async run(context, { target }, options) {
    const { targetKind } = await import('../../../backup/layout.ts')
    const kind = checkUsage(context, target, targetKind(target), options)
    const bar = createBar(context)
    try {
      const received = await withSource(context, options, (open) => receive(context, { open, bar, kind, target, options }))
      bar.stop()
      return report(context, target, received, kind === 'stdout')
    } catch (error) {
      throw context.io.signal.aborted ? new DocsearchError('aborted', 'Cancelled. No backup was added.', { cause: error }) : error
    } finally {
      bar.stop()
    }
  },
})

function checkUsage<K extends string>(context: Context, target: string, kind: K | null, { keep, force }: Options): K {
  if (kind === null)
    throw usage(
      `A backup is a folder or a .tar file, not ${target}. To compress or encrypt it, use a pipe, such as \`docsearch backup - | zstd > backup.tar.zst\`.`,
    )
  if (keep !== undefined && kind !== 'folder') throw usage('--keep needs a folder as the target.')
  if (force && kind !== 'file') throw usage('--force needs a file as the target.')
  if (kind === 'stdout' && context.io.stdout.isTTY)
    throw usage('A backup is not text, so docsearch does not write it to a terminal. Redirect the output, or name a file.')
  return kind
}

interface Receiving {
  open: Open
  bar: Bar
  kind: string
  target: string
  options: Options
}

async function receive(context: Context, { open, bar, kind, target, options }: Receiving): Promise<Received> {
  const { signal, stdout } = context.io
  const begin = async (known: ReadonlySet<string>) => {
    const { stream, sizeBytes, isRecorded } = await open(known)
    let bytes = 0
    const onBytes = (more: number) => {
      bytes += more
      bar.show(
        'backup',
        bytes,
        sizeBytes,
        `${formatBytes(bytes)}${sizeBytes === null ? '' : ` of ${formatBytes(Math.max(sizeBytes, bytes))}`}`,
      )
    }
    return { stream, isRecorded, options: { signal, onBytes } }
  }
  if (kind === 'folder') {
    const { FolderTarget } = await import('../../../backup/folder-target.ts')
    const folder = await FolderTarget.open(target)
    const { stream, isRecorded, options: reading } = await begin(folder.known)
    const { manifest, ...added } = await folder.add(stream, { keep: options.keep ?? DEFAULT_KEEP, ...reading })
    await isRecorded
    return { manifest, added }
  }
  const { copyTar, requireNew, writeTarFile } = await import('../../../backup/file-target.ts')
  if (kind === 'file' && !options.force) await requireNew(target)
  const { stream, isRecorded, options: reading } = await begin(new Set())
  const manifest =
    kind === 'file'
      ? await writeTarFile(stream, target, { force: options.force, ...reading })
      : await copyTar(stream, stdout.bytes, { end: false, ...reading })
  await isRecorded
  return { manifest }
}

/** Takes the backup from a data folder, or from the instance over its API. */
async function withSource<T>(context: Context, options: Options, work: (open: Open) => Promise<T>): Promise<T> {
  const data = dataFolder(context, options)
  if (data === undefined) {
    return hintAtData(context, async () => {
      const client = await context.client()
      let answer: Readable | undefined
      try {
        return await work(async (known) => {
          const { stream, sizeBytes } = await client.backup({ withVectors: options.withVectors, known })
          answer = stream
          return { stream, sizeBytes, isRecorded: Promise.resolve() }
        })
      } finally {
        // If this machine can't write the backup, the instance must stop making it.
        answer?.destroy()
      }
    })
  }
  const { openLocalBackup } = await import('../../../serve/backup.ts')
  const local = await openLocalBackup({ data }, daemonOutput(context))
  try {
    return await work(async (known) => {
      const { stream, sizeBytes, done } = await local.start({ withVectors: options.withVectors, known })
      return { stream, sizeBytes, isRecorded: done }
    })
  } finally {
    await local.close()
  }
}

function report(context: Context, target: string, { manifest, added }: Received, isStdout: boolean): number {
  const { documents, trashed, originals, failed, files, created_at: createdAt } = manifest
  const bytes = [...files.map(({ size }) => size), ...Object.values(originals)].reduce((sum, size) => sum + size, 0)
  const result = {
    target,
    snapshot: added?.snapshot ?? null,
    created_at: createdAt,
    documents,
    trashed,
    originals: Object.keys(originals).length,
    new_originals: added?.newOriginals ?? Object.keys(originals).length,
    bytes,
    with_vectors: files.some(({ path }) => path === 'vectors.arrow'),
    failed,
  }
  if (context.json && !isStdout) context.printJson(result)
  const trash = trashed === 0 ? '' : `, and ${trashed} in the trash`
  const fresh =
    added === undefined ? '' : ` ${countOf(added.newOriginals, 'original')} ${added.newOriginals === 1 ? 'was' : 'were'} new.`
  context.notice(`Backed up ${countOf(documents, 'document')}${trash} (${formatBytes(bytes)}).${fresh}`)
  if (failed.length === 0) return EXIT.done
  context.report(failed.map(({ sha256, reason }) => `Original ${sha256} is ${reason}.\n`).join(''))
  context.report(`${countOf(failed.length, 'original')} could not be backed up. The backup has everything else.\n`)
  return EXIT.partial
}
