import type { Document } from '../../src/contract/documents.ts'
import type { SearchAnswer, SearchResult } from '../../src/contract/search.ts'
import type { Page } from '../../src/core/parsed.ts'
import { renderDocument } from '../../src/pages/document/document.tsx'
import { windowAt } from '../../src/pages/document/window.ts'
import type { SignedInProps } from '../../src/pages/layout.tsx'
import { renderSearch } from '../../src/pages/search/search.tsx'
import { errorCode, warningCode } from './codes.ts'

/** Names that users and applications chose themselves. */
export interface Names {
  person: string
  email: string
  application: string
  redirectUri: string
  text: string
}

const at = '2026-11-02T09:41:00.000Z'
const baseUrl = 'https://docs.example.com'

/** The search view and a document view in each state. */
export function searchPageSamples({ person, email, application, text }: Names): Record<string, string> {
  const page: SignedInProps = { viewer: { name: person, email, role: 'member' }, csrf: 'csrf-of-the-sample', now: at }
  const projects = [
    { id: 'prj_1', name: application },
    { id: 'prj_2', name: 'default' },
  ]
  const props = { ...page, fields: {}, errors: {}, holdings: { documents: 1204, pending: 0, projects }, found: null, baseUrl }
  const result: SearchResult = {
    rank: 1,
    score: 0.9,
    document: {
      id: 'doc_1',
      name: text,
      path: text,
      title: application,
      media_type: 'application/pdf',
      project: { id: 'prj_1', name: application },
    },
    chunk: {
      id: 'doc_1:1:0',
      index: 0,
      page_start: 3,
      page_end: 4,
      heading: person,
      context: email,
      char_start: 5,
      char_end: 60,
    },
    text,
    joined_chunks: 1,
    also_in: [{ id: 'doc_2', name: application, page_start: 7 }],
    highlights: [
      [0, 3],
      [5, 9],
    ],
    url: `${baseUrl}/documents/doc_1?page=3&passage=5-60-0a1b2c3d#passage`,
    matching_chunks: 4,
  }
  const answer: SearchAnswer = {
    query: text,
    corrected_query: null,
    correction_reason: null,
    relaxed_phrases: [],
    results: [result, { ...result, rank: 2, also_in: [] }],
    truncated: false,
    took_ms: 34.5,
    mode: 'hybrid',
    mode_reason: null,
    embedding_model: 'builtin',
    rerank: { applied: true, model: 'builtin', took_ms: 2, reason: null },
    pending_documents: 0,
  }
  const found = { answer, offset: 0, previous: null, next: null }
  const fields = { q: text, project: 'prj_1' }
  return {
    search: renderSearch(props),
    'search, nothing uploaded': renderSearch({ ...props, holdings: { documents: 0, pending: 0, projects: [] } }),
    'search, one being read': renderSearch({ ...props, holdings: { documents: 1, pending: 1, projects: projects.slice(0, 1) } }),
    'search, results': renderSearch({ ...props, fields, found }),
    'search, a page of results': renderSearch({ ...props, fields, found: { ...found, offset: 10, previous: 0, next: 20 } }),
    'search, corrected and less than all': renderSearch({
      ...props,
      fields: { ...fields, type: 'pdf', tags: text, group: 'document' },
      found: {
        ...found,
        answer: {
          ...answer,
          corrected_query: application,
          pending_documents: 3,
          truncated: true,
          mode: 'keyword',
          mode_reason: `Searched by keywords only: the embedder ${text} cannot be reached or is overloaded.`,
          rerank: { applied: false, model: text, took_ms: 2000, reason: 'The reranker did not answer: this is the fused order.' },
        },
      },
    }),
    'search, nothing found': renderSearch({
      ...props,
      fields: { q: '-"wombat" -x', exact: '1', project: text },
      found: { ...found, answer: { ...answer, query: '-"wombat" x', results: [] } },
    }),
    'search, no more': renderSearch({
      ...props,
      fields,
      found: { ...found, offset: 990, previous: 980, answer: { ...answer, results: [] } },
    }),
    'search, refused': renderSearch({
      ...props,
      fields: { q: text, project: text, tags: text },
      errors: { q: `The question has 4001 characters; the limit is 4000.`, project: 'You have no such project.' },
    }),
    ...documentSamples({ person, email, application, text } as Names, page),
  }
}

function documentSamples({ person, application, text }: Names, page: SignedInProps): Record<string, string> {
  const document: Document = {
    id: 'doc_1',
    project: { id: 'prj_1', name: application },
    name: text,
    path: application,
    media_type: 'text/plain',
    size_bytes: 1_234_567,
    sha256: '0'.repeat(64),
    status: 'ready',
    created_at: at,
    updated_at: at,
    ready_at: at,
    page_count: 90,
    chunk_count: 9,
    embedding_model: 'builtin',
    error: null,
    warnings: [],
    health: { pages: 90, pages_with_text: 90, pages_without_text: 0, chunks_skipped: 0 },
    title: person,
    tags: [text, application],
    parse: {},
  }
  const kinds = ['heading', 'paragraph', 'list_item', 'table_row', 'code'] as const
  const body = (kinds.map(() => text).join('\n') + '\n').replaceAll('\f', ' ')
  const pages = Array.from({ length: 90 }, (_, index): Page => {
    const blocks = kinds.map((kind, n) => ({ kind, start: n * (text.length + 1), end: n * (text.length + 1) + text.length }))
    return index === 1 ? { number: 2, text: '', blocks: [] } : { number: index + 1, text: body, blocks }
  })
  const props = { ...page, document, window: windowAt(pages, { at: 0 }), lastPage: 90, passage: null, page: 1, fields: {} }
  const short = windowAt(pages.slice(0, 3), { at: 0 })
  const passage = { start: 2, end: text.length + 9, marks: [[3, 7]] as [number, number][] }
  const failed: Document = { ...document, status: 'failed', error: { code: errorCode('corrupt'), message: text } }
  return {
    document: renderDocument({ ...props, window: short, lastPage: 3 }),
    'document, its passage': renderDocument({ ...props, window: short, lastPage: 3, passage, fields: { q: text } }),
    'document, in the middle of it': renderDocument({
      ...props,
      window: { ...short, before: 1, after: 9000 },
      fields: { q: text, project: text },
    }),
    'document, changed': renderDocument({ ...props, window: short, lastPage: 3, passage: 'gone' }),
    'document, waiting': renderDocument({ ...props, window: null, lastPage: 0, document: { ...document, status: 'queued' } }),
    'document, read again': renderDocument({ ...props, window: short, document: { ...document, status: 'processing' } }),
    'document, failed': renderDocument({ ...props, window: null, lastPage: 0, document: failed }),
    'document, with warnings': renderDocument({
      ...props,
      window: short,
      document: {
        ...document,
        warnings: [
          { code: warningCode('pages_without_text'), message: text, page: 2 },
          { code: warningCode('no_text'), message: text },
        ],
        health: { ...document.health, pages_without_text: 2 },
      },
    }),
    'document, PDF': renderDocument({ ...props, window: short, document: { ...document, media_type: 'application/pdf' } }),
  }
}
