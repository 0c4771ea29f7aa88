/**
 * `docsearch/client`: a client library for programs. docs/client.md is its guide. It runs on Node 20 and newer, not in browsers: an instance
 * answers no requests from other origins, and an API key doesn't belong in a page.
 */
export { Docsearch } from './docsearch.ts'
export { RequestError } from './request-error.ts'
export type { Documents } from './documents.ts'
export type { Projects } from './projects.ts'
export type { CallOptions, DocsearchOptions, EventSettings, FileSource, UploadSettings, WaitSettings } from './options.ts'
export type { DocumentFilter, ListRange as Page } from '../list-filters.ts'
export type { Health, Me } from '../../contract/account.ts'
export type {
  Document,
  DocumentBatch,
  DocumentBatchAnswer,
  DocumentEvent,
  DocumentList,
  DocumentRestored,
  DocumentUpdate,
  UploadAnswer,
} from '../../contract/documents.ts'
export type { Project, ProjectCreate, ProjectDeleted, ProjectList, ProjectUpdate } from '../../contract/projects.ts'
export type { SearchAnswer, SearchPassage, SearchRequest, SearchResult } from '../../contract/search.ts'
