import type { Document } from '../../contract/documents.ts'
import { statusBadge } from '../document/state.tsx'
import { AppPage, html, type SignedInProps } from '../layout.tsx'
import type { Badge } from '../parts.tsx'
import { paths } from '../paths.ts'

/** What happened to a file of an upload: it became a document, or was refused for a reason. */
export type FileOutcome = { path: string } & ({ document: Document; isUnchanged: boolean } | { refusal: string })

/** The rows of an upload. The script replaces the row of a document when it changes. */
export function FileRows({ outcomes }: { outcomes: readonly FileOutcome[] }) {
  return (
    <ul class="files rows" aria-label="Uploaded files">
      {outcomes.map((outcome) =>
        'document' in outcome ? (
          <DocumentRow document={outcome.document} isUnchanged={outcome.isUnchanged} />
        ) : (
          <li class="file">
            <bdi class="file-name">{outcome.path}</bdi>
            <span class="badge bad">Not accepted</span>
            <p class="file-note">{outcome.refusal}</p>
          </li>
        ),
      )}
    </ul>
  )
}

function DocumentRow({ document, isUnchanged }: { document: Document; isUnchanged: boolean }) {
  const { id, path, status, error, warnings } = document
  const { tone, text } = statusBadge(document) ?? READY
  const isPending = status === 'queued' || status === 'processing'
  return (
    <li class="file" data-live={id} data-status={status} {...(isPending ? { 'data-pending': '' } : {})}>
      <a class="file-name" href={paths.document(id)}>
        <bdi>{path}</bdi>
      </a>
      <span class={`badge ${tone}`}>{text}</span>
      {status === 'failed' ? <p class="file-note">{error?.message ?? 'The file could not be read.'}</p> : null}
      {status === 'ready' && warnings.length > 0 ? (
        <p class="file-note">
          A search may miss parts of it: {warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`}.
        </p>
      ) : null}
      {isUnchanged ? <p class="file-note">The project has this file already. Nothing was changed.</p> : null}
    </li>
  )
}

const READY: Badge = { tone: 'good', text: 'Ready' }

export interface UploadedProps extends SignedInProps {
  outcomes: readonly FileOutcome[]
  /** The address that shows the progress of the accepted files; null if there are none. */
  next: string | null
}

/** The answer to an upload of which some files were not accepted. */
export function renderUploaded({ outcomes, next, ...page }: UploadedProps): string {
  const refused = outcomes.filter((outcome) => 'refusal' in outcome).length
  const title = refused === 1 ? 'One file was not accepted' : `${refused} files were not accepted`
  return html(
    <AppPage title={title} failed place="upload" {...page}>
      <main id="main" class="upload">
        <h1>{title}</h1>
        <FileRows outcomes={outcomes} />
        <p class="buttons">
          {next === null ? null : (
            <a class="button primary" href={next}>
              See the progress of the others
            </a>
          )}
          <a class="button" href={paths.upload}>
            Upload more
          </a>
        </p>
      </main>
    </AppPage>,
  )
}

export interface UploadProgressProps extends SignedInProps {
  documents: readonly Document[]
  /** How many of the wanted documents are gone, or were never there. */
  missing: number
  /** The address of this view. */
  address: string
}

/** `/upload/progress`: what became of the files of an upload. */
export function renderUploadProgress({ documents, missing, address, ...page }: UploadProgressProps): string {
  const pending = documents.filter(({ status }) => status === 'queued' || status === 'processing').length
  return html(
    <AppPage title="Your upload" place="upload" {...page}>
      <main id="main" class="upload">
        <h1>Your upload</h1>
        <p class="lead" data-live="sum">
          {summary(documents)}
        </p>
        <FileRows outcomes={documents.map((document) => ({ path: document.path, document, isUnchanged: false }))} />
        {missing === 0 ? null : (
          <p class="hint">{missing === 1 ? '1 document is' : `${missing} documents are`} no longer there.</p>
        )}
        <p class="buttons">
          {pending === 0 ? (
            <a class="button primary" href={paths.home}>
              Search
            </a>
          ) : (
            <a class="button primary" href={address}>
              Reload to see the progress
            </a>
          )}
          <a class="button" href={paths.upload}>
            Upload more
          </a>
        </p>
      </main>
    </AppPage>,
  )
}

function summary(documents: readonly Document[]): string {
  const count = (...wanted: Document['status'][]) => documents.filter(({ status }) => wanted.includes(status)).length
  const parts = [
    [count('ready'), 'ready'],
    [count('queued', 'processing'), 'in progress'],
    [count('failed'), 'failed'],
  ] as const
  return parts.flatMap(([many, what]) => (many === 0 ? [] : [`${many} ${what}`])).join(', ')
}
