import type { Document } from '../../contract/documents.ts'
import { Confirm, Form } from '../form.tsx'
import { AppPage, FlashMessage, html, type SignedInProps, CardPage } from '../layout.tsx'
import { shortName, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { AboutDocument } from './about.tsx'

export interface TrashedDocumentProps extends SignedInProps {
  document: Document & { trashed_at: string }
  /** When docsearch deletes the document for good. */
  endsAt: string
}

/** `/documents/{id}` for a document in the trash. */
export function renderTrashedDocument({ document, endsAt, ...page }: TrashedDocumentProps): string {
  return html(
    <AppPage title={shortName(document.name)} place={null} {...page}>
      <main id="main" class="document">
        <header class="about">
          <div class="heading">
            <h1>
              <bdi>{document.name}</bdi> <span class="badge">Trash</span>
            </h1>
          </div>
          <AboutDocument document={document} />
          <FlashMessage flash={page.flash} />
          <div class="notice warning">
            <p>
              In the trash since <Time at={document.trashed_at} />.{' '}
              {endsAt <= page.now ? (
                'It will be deleted for good soon.'
              ) : (
                <>
                  It will be deleted for good on <Time at={endsAt} />.
                </>
              )}
            </p>
          </div>
          <div class="buttons">
            <Form action={paths.documentRestore(document.id)} csrf={page.csrf}>
              <button class="primary" type="submit">
                Restore
              </button>
            </Form>
            <a class="button danger-quiet" href={paths.documentDelete(document.id)}>
              Delete permanently
            </a>
          </div>
        </header>
      </main>
    </AppPage>,
  )
}

export interface DocumentDeleteProps extends SignedInProps {
  document: Pick<Document, 'id' | 'name' | 'path' | 'project'>
  /** How many days the trash keeps the document; 0 when the deletion is for good. */
  trashDays: number
  /** True for a document that is in the trash already. */
  isTrashed: boolean
}

/** Asks before a document is deleted. */
export function renderDocumentDelete({ document, trashDays, isTrashed, ...page }: DocumentDeleteProps): string {
  const isPermanent = isTrashed || trashDays === 0
  return html(
    <AppPage title="Delete document" place={null} {...page}>
      <main id="main" class="document">
        <header class="about">
          <h1>{isPermanent ? 'Delete this document permanently?' : 'Delete this document?'}</h1>
          <p>
            <strong>
              <bdi>{document.path}</bdi>
            </strong>{' '}
            in <bdi>{shortName(document.project.name)}</bdi>{' '}
            {isPermanent
              ? 'is deleted for good, with its original. This cannot be undone.'
              : `goes to the trash, which keeps it for ${trashDays} ${trashDays === 1 ? 'day' : 'days'}.`}
          </p>
          <Confirm
            action={paths.documentDelete(document.id)}
            csrf={page.csrf}
            verb={isPermanent ? 'Delete permanently' : 'Delete'}
            cancel={paths.document(document.id)}
          >
            {isTrashed && <input type="hidden" name="permanent" value="true" />}
          </Confirm>
        </header>
      </main>
    </AppPage>,
  )
}

interface PurgeProps {
  csrf: string
  ids: readonly string[]
  /** The address of the list. */
  back: string
}

/** Asks before documents are deleted for good. */
export function renderPurge({ csrf, ids, back }: PurgeProps): string {
  const many = ids.length === 1 ? 'this document' : `these ${ids.length} documents`
  return html(
    <CardPage title={`Delete ${many} permanently?`}>
      <h1>Delete {many} permanently?</h1>
      <p>The original files and their texts are deleted. You can't restore them.</p>
      <Confirm action={paths.documentsBatch} csrf={csrf} verb="Delete permanently" cancel={back}>
        <input type="hidden" name="action" value="purge" />
        <input type="hidden" name="confirmed" value="true" />
        <input type="hidden" name="back" value={back} />
        {ids.map((id) => (
          <input type="hidden" name="ids" value={id} />
        ))}
      </Confirm>
    </CardPage>,
  )
}
