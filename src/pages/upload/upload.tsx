import type { Document } from '../../contract/documents.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import { formatNames, FORMATS } from '../../core/formats.ts'
import { statusBadge } from '../document/state.tsx'
import { ErrorSummary, Field, Form, type FormState, hasErrors, Select } from '../form.tsx'
import { AppPage, html, type SignedInProps } from '../layout.tsx'
import type { Badge } from '../parts.tsx'
import { paths } from '../paths.ts'
import type { ProjectChoice } from '../project-fields.tsx'

export type UploadForm = FormState<'files' | 'project' | 'new_project' | 'tags'>

export interface UploadProps extends SignedInProps {
  form: UploadForm
  /** The projects to which the user may upload. */
  projects: readonly ProjectChoice[]
  limits: { requestFiles: number; requestBytes: number; fileBytes: number }
}

/** `/upload`: a form that works without scripts. The script sends any number of files, and shows a row for each. */
export function renderUpload({ form, projects, limits, ...page }: UploadProps): string {
  const wanted = form.values?.project ?? ''
  const chosen = projects.find(({ id, name }) => id === wanted || name === wanted) ?? projects[0]
  return html(
    <AppPage title="Upload documents" failed={hasErrors(form)} place="upload" {...page}>
      <main id="main" class="upload" data-drop={paths.upload}>
        <h1>Upload documents</h1>
        <p class="lead">{formatNames('and')} files. You can search them a few seconds later.</p>
        <ErrorSummary form={form} title="Nothing was uploaded" />
        <Form action={paths.upload} csrf={page.csrf} class="upload-form" id="upload" hasFiles>
          <div class="field">
            <p class="drop-here">Drop files or folders anywhere in this window, or choose them below.</p>
            <FileField id="files" label="Files" form={form} limits={limits} />
          </div>
          <div class="field">
            <label for="folder">Folder</label>
            <input type="file" id="folder" name="file" multiple {...{ webkitdirectory: true }} />
          </div>
          <Select
            name="project"
            label="Project"
            form={form}
            choices={projects.map(({ id, name }) => ({ value: id, label: name }))}
            chosen={chosen === undefined ? [] : [chosen.id]}
          />
          <Field
            name="new_project"
            label="Or a new project"
            form={form}
            hint="The name of a project to create"
            autocomplete="off"
            maxLength={200}
            optional
          />
          <Field name="tags" label="Tags" form={form} hint="Separated by commas" autocomplete="off" optional />
          <button class="primary" type="submit">
            Upload
          </button>
        </Form>
        <noscript>
          <p class="hint">
            With JavaScript, you can upload hundreds of files at once and see the progress of each. Without it, the next view
            shows the outcome of each file.
          </p>
        </noscript>
        <section
          class="sending"
          aria-labelledby="sending"
          hidden
          id="sending-files"
          data-max-files={limits.requestFiles}
          data-max-bytes={limits.requestBytes}
          data-max-file-bytes={limits.fileBytes}
        >
          <h2 id="sending">Files of this upload</h2>
          <p class="lead" id="sending-sum" />
          <p class="buttons" id="sending-again" hidden>
            <button type="button">Send the remaining files again</button>
          </p>
          <p class="buttons" id="sending-next" hidden>
            <a class="button primary" href={paths.home}>
              Search your documents
            </a>
          </p>
          <ul class="files rows" aria-label="Uploaded files" data-live-from={paths.uploadProgress} />
        </section>
      </main>
    </AppPage>,
  )
}

function FileField({ id, label, form, limits }: { id: 'files'; label: string; form: UploadForm; limits: UploadProps['limits'] }) {
  const error = form.errors?.[id]
  return (
    <>
      <label for={id}>{label}</label>
      <p class="hint" id={`${id}-hint`}>
        At most {formatBytes(limits.fileBytes)} each
        <noscript>
          , and at most {limits.requestFiles} files and {formatBytes(limits.requestBytes)} at a time
        </noscript>
      </p>
      <input
        type="file"
        id={id}
        name="file"
        multiple
        accept={ACCEPT}
        aria-describedby={error === undefined ? `${id}-hint` : `${id}-hint ${id}-error`}
        {...(error === undefined ? {} : { 'aria-invalid': true })}
      />
      {error === undefined ? null : (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  )
}

/** What a file dialog offers first. The content decides, so other files can be chosen too. */
const ACCEPT = Object.values(FORMATS)
  .flatMap(({ extensions }) => extensions)
  .join(',')

/** What happened to a file of an upload: it became a document, or was refused for a reason. */
export type FileOutcome = { path: string } & ({ document: Document; isUnchanged: boolean } | { refusal: string })

/** The rows of an upload. The script replaces the row of a document when it changes. */
function FileRows({ outcomes }: { outcomes: readonly FileOutcome[] }) {
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

interface UploadedProps extends SignedInProps {
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

interface UploadProgressProps extends SignedInProps {
  documents: readonly Document[]
  /** How many of the wanted documents are gone, or were never there. */
  missing: number
  /** The address of this view. */
  address: string
}

/** `/upload/progress`: the outcome of each file of an upload. */
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
