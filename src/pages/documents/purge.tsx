import { Confirm } from '../form.tsx'
import { CardPage, html } from '../layout.tsx'
import { paths } from '../paths.ts'

export interface PurgeProps {
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
