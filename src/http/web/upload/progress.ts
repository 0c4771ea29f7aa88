import { isDocsearchError } from '../../../core/errors.ts'
import type { DocumentRecord } from '../../../core/model.ts'
import { paths } from '../../../pages/paths.ts'
import { renderUploadProgress } from '../../../pages/upload/files.tsx'
import { presentDocument } from '../../../contract/present/documents.ts'
import type { Dependencies } from '../../dependencies.ts'
import type { Page } from '../routing/page.ts'

const DOCUMENT_ID = /^doc_[0-9a-z]{26}$/
/** The script asks for fewer at a time. A form without the script has no more files, unless the limit was raised. */
const MAX_DOCUMENTS = 100

/** What became of the documents of an upload. IDs that the user may not see are left out. */
export const progressPage = ({ documents }: Pick<Dependencies, 'documents'>): Page => ({
  method: 'GET',
  path: paths.uploadProgress,
  access: 'user',
  hasScript: true,
  async handle({ ctx, actor, show, signedIn, goTo }) {
    const sent = [ctx.query['ids'] ?? []].flat().at(-1) ?? ''
    const ids = [...new Set(sent.split(','))].filter((id) => DOCUMENT_ID.test(id)).slice(0, MAX_DOCUMENTS)
    if (ids.length === 0) return goTo(paths.upload)
    const found: DocumentRecord[] = []
    for (const id of ids) {
      try {
        found.push(await documents.get(actor, id))
      } catch (error) {
        if (!isDocsearchError(error, 'document_not_found')) throw error
      }
    }
    const missing = ids.length - found.length
    const shown = found.map(presentDocument)
    show(renderUploadProgress({ ...signedIn(), documents: shown, missing, address: paths.uploadProgressOf(ids) }))
  },
})
