import type { Client, UploadOptions } from '../../../client/client.ts'
import { DocumentWatch } from '../../../client/document-watch.ts'
import { ClientError } from '../../../client/errors.ts'
import type { Document } from '../../../contract/documents.ts'
import { formatBytes } from '../../../core/format-bytes.ts'
import { FORMATS } from '../../../core/formats.ts'
import type { Context } from '../../context.ts'
import { cancelled, PartialFailure } from '../../exit.ts'
import type { FoundFile, Refusal } from '../../files/found.ts'
import { wantsColor, widthOf } from '../../io.ts'
import { joined, oneLine, type Printable, safe, type Styled } from '../../view/safe.ts'
import { count, eraseLines, styles } from '../../view/style.ts'
import { padEnd, truncate } from '../../view/width.ts'
import { collectPages } from '../find.ts'
import type { Differences } from './compare.ts'
import { printResult, type Result } from './result.ts'
import { sendAll, type Uploaded } from './send.ts'

/** What to upload, after the comparison with what the project has. */
export interface Work {
  files: readonly FoundFile[]
  /** Documents of files that need not be sent. */
  unchanged: readonly Uploaded[]
  refused: readonly Refusal[]
  /** Files found in a folder whose names say that they have no text. They are not sent. */
  skipped: readonly Refusal[]
  counts: Differences['counts'] | null
}

/** Uploads the files and prints the result. Throws PartialFailure for failed files, and what ended the upload early. */
export async function transfer(
  context: Context,
  client: Client,
  work: Work,
  settings: UploadOptions,
  options: { waits: boolean },
): Promise<void> {
  const { result, failure } = await send(context, client, work, settings, options)
  if (failure === undefined || result.documents.size + result.refused.length > 0) printResult(context, result)
  conclude(result, failure)
}

/** What keeps a file that was found in a folder from being searchable, without being a failure. */
const WITHOUT_TEXT = new Set(['unsupported_type', 'empty_file'])

/** Uploads the files, with progress on a terminal. `failure` is what ended the upload early. */
export async function send(
  context: Context,
  client: Client,
  { files, unchanged, refused, skipped, counts }: Work,
  settings: UploadOptions,
  { waits, onStored }: { waits: boolean; onStored?: (file: FoundFile, document: Uploaded) => void },
): Promise<{ result: Result; failure: Error | undefined }> {
  const { signal } = context.io
  const planned = files.length + unchanged.length + refused.length
  const result: Result = { documents: new Map(), attachments: [], refused: [...refused], skipped: [...skipped], planned, counts }
  const progress = createProgress(context, files, waits)
  const fileOf = new Map<string, FoundFile>()
  /** Files that the instance has neither accepted nor refused yet. */
  const unanswered = new Set(files)
  const watch = waits ? new DocumentWatch<Uploaded>(client, { signal, onChange: changed }) : null

  function changed(document: Uploaded): void {
    result.documents.set(document.id, document)
    const file = fileOf.get(document.id)
    const isDone = document.status === 'ready' || document.status === 'failed'
    if (file !== undefined && watch !== null) progress.state(file, isDone ? null : document.status)
  }

  // An unchanged document may still wait to be processed.
  for (const document of unchanged) {
    if (watch === null) changed(document)
    else watch.add(document)
  }
  let failure: Error | undefined
  try {
    await sendAll(
      client,
      files,
      { ...settings, signal },
      {
        sent: (file, bytes) => progress.sent(file, bytes),
        acknowledged(file, document) {
          if (file !== undefined) {
            unanswered.delete(file)
            progress.uploaded(file)
            fileOf.set(document.id, file)
            onStored?.(file, document)
          }
          if (watch === null) changed(document)
          else watch.add(document)
        },
        refused(file, refusal) {
          const isSkipped = file?.isNamed === false && WITHOUT_TEXT.has(refusal.code)
          ;(isSkipped ? result.skipped : result.refused).push(refusal)
          if (file === undefined) return
          unanswered.delete(file)
          progress.uploaded(file)
        },
        waiting: (seconds, reason) => progress.note(`Waiting ${seconds} s: ${reason}`),
      },
    )
    await watch?.settled()
    if (waits) result.attachments.push(...(await settledAttachments(client, [...result.documents.values()], signal)))
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error))
  } finally {
    watch?.close()
    progress.stop()
  }
  if (isDiskFull(failure) && result.documents.size > 0) {
    for (const { path, name } of unanswered) result.refused.push({ path, name, code: failure.code, message: failure.detail })
    failure = undefined
  }
  return { result, failure }
}

/** Returns true if the disk of the instance is full. Then the instance has stored a part of the upload and refuses the rest. */
function isDiskFull(error: Error | undefined): error is ClientError {
  return error instanceof ClientError && error.code === 'disk_full'
}

/** Throws what the user needs to know about an upload that did not go through. The instance keeps what it has acknowledged. */
export function conclude({ documents, attachments, refused, planned }: Result, failure: Error | undefined): void {
  const stored = `${documents.size} of ${count(planned, 'file')} ${documents.size === 1 ? 'is' : 'are'} stored and will be processed.`
  if (failure instanceof ClientError && failure.code === 'aborted') {
    // Everything was sent, and only the waiting ended early.
    if (documents.size + refused.length >= planned) throw cancelled(`Cancelled. ${stored}`)
    throw cancelled(
      `Cancelled. ${stored} The instance has not confirmed the other files. To continue, run the command again: no file is stored twice.`,
    )
  }
  if (failure !== undefined) {
    if (documents.size > 0) failure.message += ` (${stored})`
    throw failure
  }
  const failed = [...documents.values()].filter((document) => document.status === 'failed').length + refused.length
  const attachmentsFailed = attachments.filter(({ status }) => status === 'failed').length
  if (failed === 0 && attachmentsFailed > 0) throw new PartialFailure(`${count(attachmentsFailed, 'attachment')} failed.`)
  if (failed === 0) return
  throw new PartialFailure(
    failed === planned ? `${count(failed, 'file')} failed.` : `${failed} of ${count(planned, 'file')} failed.`,
  )
}

const MAIL = new Set<string>(
  Object.values(FORMATS)
    .filter(({ countedIn }) => countedIn === 'messages')
    .map(({ mediaType }) => mediaType),
)

/** Waits until the attachments of the messages among these documents are processed, and returns them. */
async function settledAttachments(client: Client, documents: readonly Document[], signal: AbortSignal): Promise<Document[]> {
  const all = new Map<string, Document>()
  let messages = documents.filter(isMessage)
  while (messages.length > 0) {
    const watch = new DocumentWatch<Document>(client, {
      signal,
      onChange: (document) => void all.set(document.id, document),
      isLate: true,
    })
    try {
      const found: string[] = []
      for (const { id } of messages) {
        for (const attachment of await attachmentsOf(client, id)) {
          found.push(attachment.id)
          watch.add(attachment)
        }
      }
      await watch.settled()
      // A message among them has its own attachments once it is ready.
      messages = found.map((id) => all.get(id)!).filter(isMessage)
    } finally {
      watch.close()
    }
  }
  return [...all.values()]
}

function isMessage({ media_type, status }: Document): boolean {
  return status === 'ready' && MAIL.has(media_type)
}

function attachmentsOf(client: Client, parent: string): Promise<Document[]> {
  return collectPages(undefined, async (page) => {
    const { documents, next_cursor: next } = await client.documents.list({ parent, ...page })
    return { items: documents, next }
  })
}

interface Progress {
  sent(file: FoundFile, bytes: number): void
  /** The file is acknowledged or refused, so its upload is over. */
  uploaded(file: FoundFile): void
  /** The file's state on the instance; null once it is processed. */
  state(file: FoundFile, state: string | null): void
  note(line: string): void
  stop(): void
}

const silent: Progress = { sent() {}, uploaded() {}, state() {}, note() {}, stop() {} }
const REDRAW_MS = 100
const MAX_FILE_LINES = 6
const BAR_WIDTH = 20

/** Draws a bar for each active file and one for all files on standard error. Draws nothing on a pipe, with --quiet or with --json. */
function createProgress(context: Context, files: readonly FoundFile[], waits: boolean): Progress {
  const { stderr } = context.io
  if (!stderr.isTTY || context.json || context.globals.quiet === true || files.length === 0) return silent
  return new TerminalProgress(context, files, waits)
}

class TerminalProgress implements Progress {
  readonly #context: Context
  readonly #files: readonly FoundFile[]
  readonly #waits: boolean
  readonly #totalBytes: number
  readonly #timer: NodeJS.Timeout
  /** Bytes sent of each file that is being sent. */
  readonly #sent = new Map<FoundFile, number>()
  /** State on the instance of each file that is being processed. */
  readonly #states = new Map<FoundFile, string>()
  #uploadedFiles = 0
  #uploadedBytes = 0
  #processedFiles = 0
  #drawnLines = 0
  #isDirty = false

  constructor(context: Context, files: readonly FoundFile[], waits: boolean) {
    this.#context = context
    this.#files = files
    this.#waits = waits
    this.#totalBytes = files.reduce((sum, file) => sum + file.size, 0)
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS)
  }

  sent(file: FoundFile, bytes: number): void {
    this.#sent.set(file, bytes)
    this.#isDirty = true
  }

  uploaded(file: FoundFile): void {
    this.#sent.delete(file)
    this.#uploadedFiles++
    this.#uploadedBytes += file.size
    this.#isDirty = true
  }

  state(file: FoundFile, state: string | null): void {
    if (state === null) {
      this.#states.delete(file)
      this.#processedFiles++
    } else {
      this.#states.set(file, state)
    }
    this.#isDirty = true
  }

  note(line: string): void {
    this.#context.io.stderr.print(safe`${this.#erase()}${oneLine(line)}\n`)
    this.#isDirty = true
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#context.io.stderr.print(this.#erase())
  }

  #draw(): void {
    if (!this.#isDirty) return
    this.#isDirty = false
    const erase = this.#erase()
    const lines = this.#lines()
    this.#drawnLines = lines.length
    this.#context.io.stderr.print(joined([erase, ...lines.map((line) => safe`${line}\n`)]))
  }

  #erase(): Styled {
    const sequence = eraseLines(this.#drawnLines)
    this.#drawnLines = 0
    return sequence
  }

  #lines(): Printable[] {
    const { io, globals } = this.#context
    const style = styles(wantsColor(io.stderr, io.env, globals.color))
    const width = widthOf(io.stderr) - 1
    const sending = [...this.#sent].map(([file, bytes]) => barRow(width, file.path, bytes, file.size))
    // Files that are being processed before files that only wait.
    const processing = [...this.#states]
      .sort(([, a], [, b]) => Number(a === 'queued') - Number(b === 'queued'))
      .map(([file, state]) => row(width, file.path, ' '.repeat(BAR_WIDTH), state))
    const bytes = [...this.#sent.values()].reduce((sum, sent) => sum + sent, this.#uploadedBytes)
    const sent = `${this.#uploadedFiles} of ${this.#files.length} sent, ${formatBytes(this.#totalBytes)}`
    const totals = [barRow(width, sent, bytes, this.#totalBytes)]
    if (this.#waits && this.#uploadedFiles > 0) {
      const processed = `${this.#processedFiles} of ${this.#files.length} processed`
      totals.push(barRow(width, processed, this.#processedFiles, this.#files.length))
    }
    return [...[...sending, ...processing].slice(0, MAX_FILE_LINES), ...totals.map(style.bold)]
  }
}

function barRow(width: number, label: string, done: number, all: number): string {
  return row(width, label, bar(done, all), percent(done, all))
}

function row(width: number, label: string, middle: string, facts: string): string {
  const labelWidth = Math.max(12, width - BAR_WIDTH - 16)
  return truncate(`${padEnd(truncate(oneLine(label), labelWidth), labelWidth)} ${middle} ${facts}`, width)
}

function bar(done: number, all: number): string {
  const full = all === 0 ? BAR_WIDTH : Math.round((Math.min(done, all) / all) * BAR_WIDTH)
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full)
}

function percent(done: number, all: number): string {
  return `${all === 0 ? 100 : Math.floor((Math.min(done, all) / all) * 100)} %`.padStart(5)
}
