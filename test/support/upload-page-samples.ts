import type { Document } from '../../src/contract/documents.ts'
import type { SignedInProps } from '../../src/pages/layout.tsx'
import { renderUploaded, renderUploadProgress, renderUpload } from '../../src/pages/upload/upload.tsx'
import { errorCode } from './codes.ts'
import type { Names } from './search-page-samples.ts'

const at = '2026-11-02T09:41:00.000Z'

/** The views of an upload in each state. */
export function uploadPageSamples({ person, email, application, text }: Names): Record<string, string> {
  const page: SignedInProps = { viewer: { name: person, email, role: 'member' }, csrf: 'csrf-of-the-sample', now: at }
  const projects = [
    { id: 'prj_1', name: application },
    { id: 'prj_2', name: 'default' },
  ]
  const limits = { requestFiles: 20, requestBytes: 4e8, fileBytes: 1e8 }
  const document = (n: number, change: Partial<Document> = {}): Document => ({
    id: `doc_${n}`,
    name: text,
    path: `${text}/${n}`,
    title: null,
    media_type: 'application/pdf',
    project: { id: 'prj_1', name: application },
    size_bytes: 1e6,
    sha256: 'f'.repeat(64),
    status: 'ready',
    created_at: at,
    updated_at: at,
    ready_at: at,
    trashed_at: null,
    page_count: 3,
    chunk_count: 9,
    embedding_model: 'builtin',
    error: null,
    warnings: [],
    health: { pages: 3, pages_with_text: 3, pages_without_text: 0, chunks_skipped: 0 },
    tags: [],
    parse: {},
    ...change,
  })
  const documents = [
    document(1),
    document(2, { status: 'queued' }),
    document(3, { status: 'failed', error: { code: errorCode('encrypted'), message: `It needs a password: ${text}` } }),
  ]
  return {
    upload: renderUpload({ ...page, form: {}, projects, limits }),
    'upload, with errors': renderUpload({
      ...page,
      form: { values: { tags: text, new_project: text }, errors: { files: `Choose files: ${text}`, project: text } },
      projects,
      limits,
    }),
    'upload, some not accepted': renderUploaded({
      ...page,
      outcomes: [
        { path: text, refusal: `This is not accepted: ${text}` },
        { path: text, document: document(4), isUnchanged: true },
      ],
      next: '/upload/progress?ids=doc_4',
    }),
    'upload, in progress': renderUploadProgress({ ...page, documents, missing: 1, address: '/upload/progress?ids=doc_1' }),
    'upload, done': renderUploadProgress({
      ...page,
      documents: [document(1)],
      missing: 0,
      address: '/upload/progress?ids=doc_1',
    }),
  }
}
