import { formatBytes } from '../../core/format-bytes.ts'
import { FORMATS, formatNames } from '../../core/formats.ts'
import { ErrorSummary, Field, Form, hasErrors, Select, type FormState } from '../form.tsx'
import { AppPage, html, type SignedInProps } from '../layout.tsx'
import { paths } from '../paths.ts'
import type { ProjectChoice } from '../project-options.tsx'

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
            shows what became of the files.
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
