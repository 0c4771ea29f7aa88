import type { Document } from '../../src/contract/documents.ts'
import type { SearchAnswer, SearchResult } from '../../src/contract/search.ts'
import type { Block, Page } from '../../src/core/parsed.ts'
import { renderDocumentDelete, renderTrashedDocument, renderPurge } from '../../src/pages/document/trash.tsx'
import { renderDocument } from '../../src/pages/document/document.tsx'
import type { OriginalPage } from '../../src/pages/document/original-page.tsx'
import { renderDocumentList } from '../../src/pages/documents/list.tsx'
import { windowAt } from '../../src/pages/document/window.ts'
import type { SignedInProps } from '../../src/pages/layout.tsx'
import { renderSavedSearch } from '../../src/pages/search/saved.tsx'
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
  const page: SignedInProps = {
    viewer: { name: person, email, role: 'member' },
    csrf: 'csrf-of-the-sample',
    now: at,
    glance: { health: 'ok', pending: 12_345 },
  }
  const projects = [
    { id: 'prj_1', name: application },
    { id: 'prj_2', name: 'default' },
  ]
  const props = {
    ...page,
    fields: {},
    errors: {},
    holdings: { documents: 1204, pending: 0, projects },
    found: null,
    start: null,
    saved: [],
    baseUrl,
  }
  const url = `${baseUrl}/documents/doc_1?page=3&passage=5-60-0a1b2c3d#passage`
  const chunk = {
    id: 'doc_1:1:0',
    index: 0,
    page_start: 3,
    page_end: 4,
    heading: person,
    context: email,
    char_start: 5,
    char_end: 60,
  }
  const facets = {
    project: [
      { value: application, count: 9 },
      { value: 'default', count: 4 },
    ],
    folder: [
      { value: `${text}/`, count: 9 },
      { value: 'notes/', count: 3 },
    ],
    media_type: [
      { value: 'application/pdf', count: 9 },
      { value: 'text/plain', count: 4 },
    ],
    tag: [
      { value: text, count: 2 },
      { value: 'legal', count: 1 },
    ],
    year: [
      { value: '2026', count: 12 },
      { value: '2025', count: 1 },
    ],
  }
  const result: SearchResult = {
    rank: 1,
    score: 0.9,
    document: {
      id: 'doc_1',
      name: text,
      path: `${text}/${text}`,
      title: application,
      media_type: 'application/pdf',
      project: { id: 'prj_1', name: application },
    },
    chunk,
    text,
    joined_chunks: 1,
    also_in: [{ id: 'doc_2', name: application, page_start: 7 }],
    highlights: [
      [0, 3],
      [5, 9],
    ],
    url,
    matching_chunks: 4,
    more_passages: [{ chunk, text, highlights: [[2, 4]], url }],
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
    facets,
    pending_documents: 0,
  }
  const found = { answer, offset: 0, previous: null, next: null, hasAllWords: true }
  const fields = { q: text, project: 'prj_1' }
  return {
    search: renderSearch({
      ...props,
      saved: [
        { id: 'sea_1', name: text, fields: { q: text }, project: null },
        { id: 'sea_2', name: text, fields: { q: text, project: 'prj_1' }, project: { name: application } },
        { id: 'sea_3', name: text, fields: { q: text, project: 'prj_9' }, project: 'hidden' },
      ],
      start: {
        ready: 1190,
        failed: 1,
        warned: 101,
        recent: [{ id: 'doc_1', name: text, path: `${text}/${text}`, created_at: at }],
      },
    }),
    'saved search': renderSavedSearch({ ...page, search: { id: 'sea_1', name: text, fields }, form: {} }),
    'saved search, refused': renderSavedSearch({
      ...page,
      search: { id: 'sea_1', name: text, fields },
      form: { values: { name: text }, errors: { name: 'Enter a name.' } },
    }),
    'search, nothing uploaded': renderSearch({ ...props, holdings: { documents: 0, pending: 0, projects: [] } }),
    'search, one being read': renderSearch({ ...props, holdings: { documents: 1, pending: 1, projects: projects.slice(0, 1) } }),
    'search, results': renderSearch({ ...props, fields, found }),
    'search, a page of results': renderSearch({ ...props, fields, found: { ...found, offset: 10, previous: 0, next: 20 } }),
    'search, corrected and less than all': renderSearch({
      ...props,
      fields: { ...fields, type: 'pdf', tags: text, path: text, after: '2026-01-01', before: '2027-01-01', sort: 'newest' },
      found: {
        ...found,
        hasAllWords: false,
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
    'search, the passages of a document': renderSearch({ ...props, fields: { ...fields, document: 'doc_1' }, found }),
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
      fields: { q: text, project: text, tags: text, type: text, after: text },
      errors: { q: `The question has 4001 characters; the limit is 4000.`, project: 'You have no such project.' },
    }),
    ...documentListSamples({ person, email, application, text, redirectUri: '' }, page),
    ...documentSamples({ person, email, application, text } as Names, page),
  }
}

function documentListSamples({ application, text }: Names, page: SignedInProps): Record<string, string> {
  const document = (n: number, change: Partial<Document> = {}): Document => ({
    id: `doc_${n}`,
    project: { id: 'prj_1', name: application },
    name: text,
    path: `${text}/${text}`,
    media_type: 'application/pdf',
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
    warnings: [{ code: 'no_text', message: text }],
    health: { pages: 90, pages_with_text: 90, pages_without_text: 0, chunks_skipped: 0 },
    title: null,
    tags: [],
    parse: {},
    ...change,
  })
  const documents = [
    document(1),
    document(2, { status: 'failed', page_count: null, error: { code: 'parse_failed', message: text } }),
    document(3, { status: 'queued' }),
  ]
  const projects = [{ id: 'prj_1', name: application }]
  const list = {
    ...page,
    fields: { tab: 'all' as const },
    documents,
    nextCursor: 'next',
    projects,
    keepsTrash: true,
    error: null,
  }
  return {
    documents: renderDocumentList(list),
    'documents, in the trash': renderDocumentList({
      ...list,
      fields: { tab: 'trash', cursor: 'x', name: text },
      documents: documents.map((one) => ({ ...one, trashed_at: at })),
      flash: {
        tone: 'success',
        text: 'The documents are in the trash.',
        undo: { action: '/documents/batch', csrf: page.csrf, documentIds: ['doc_8', 'doc_9'] },
      },
    }),
    'documents, none': renderDocumentList({ ...list, documents: [], nextCursor: null }),
    'documents, unknown project': renderDocumentList({
      ...list,
      fields: { tab: 'failed', project: text, path: text },
      documents: [],
      error: 'You have no such project. Choose one from the list.',
    }),
    'documents, delete permanently': renderPurge({ csrf: page.csrf, ids: ['doc_1', 'doc_2'], back: '/documents?tab=trash' }),
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
  const props = {
    canDelete: true,
    keepsTrash: true,
    ...page,
    document,
    window: windowAt(pages, { at: 0 }),
    lastPage: 90,
    passage: null,
    page: 1,
    original: null,
    fields: {},
    find: '',
    hits: null,
    citation: null,
    strip: [],
    missingPage: null,
  }
  const short = windowAt(pages.slice(0, 3), { at: 0 })
  const passage = { start: 2, end: text.length + 9, marks: [[3, 7]] as [number, number][] }
  const pdf = { ...props, window: short, lastPage: 3, document: { ...document, media_type: 'application/pdf' } }
  const line = { x: 0.1, y: 0.2, width: 0.5, height: 0.02 }
  const original: OriginalPage = {
    documentId: document.id,
    number: 2,
    count: 90,
    marks: { ratio: 1.3, passage: [line], words: [{ ...line, width: 0.1 }] },
    shown: 'text',
    zoom: null,
    passage: '1-2-0a1b2c3d',
    find: '',
    fields: { q: text },
  }
  const failed: Document = { ...document, status: 'failed', error: { code: errorCode('corrupt'), message: text } }
  return {
    'document, in the trash': renderTrashedDocument({
      ...page,
      flash: {
        tone: 'success',
        text: 'The document is in the trash.',
        undo: { action: '/documents/doc_1/restore', csrf: page.csrf },
      },
      document: { ...document, trashed_at: document.created_at },
      endsAt: '2027-01-01T00:00:00.000Z',
    }),
    'document, delete': renderDocumentDelete({ ...page, document, trashDays: 30, isTrashed: false }),
    document: renderDocument({ ...props, window: short, lastPage: 3 }),
    'document, its passage': renderDocument({ ...props, window: short, lastPage: 3, passage, fields: { q: text } }),
    'document, with hits': renderDocument({
      ...props,
      window: short,
      lastPage: 3,
      passage,
      fields: { q: text },
      hits: { count: 13, isCut: false, current: 2, previous: '/documents/doc_1?page=1', next: '/documents/doc_1?page=3' },
      citation: { quote: text, text: `${text}, p. 2: "${text}" https://docs.example.com/x`, markdown: `> ${text}` },
      strip: [1, 2, 3].map((page) => ({
        first: page,
        last: page,
        name: text,
        empty: page === 2 ? 1 : 0,
        warned: page === 3 ? 1 : 0,
        hits: page === 1 ? 13 : 0,
        isCurrent: page === 1,
        address: `/documents/doc_1?page=${page}#page-${page}`,
      })),
    }),
    'document, words not found': renderDocument({
      ...props,
      window: short,
      find: text,
      hits: { count: 0, isCut: false, current: null, previous: null, next: null },
      missingPage: 99_999,
    }),
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
    ...mailSamples(props, text),
    'document, PDF': renderDocument({ ...pdf, original, passage, fields: { q: text } }),
    'document, PDF zoomed': renderDocument({ ...pdf, original: { ...original, zoom: 1_400, shown: 'page' } }),
    'document, PDF without marks': renderDocument({ ...pdf, original: { ...original, marks: 'unknown' } }),
    'document, PDF without images': renderDocument({ ...pdf, original: { ...original, marks: 'failed', shown: 'page' } }),
  }
}

function mailSamples(props: Parameters<typeof renderDocument>[0], text: string): Record<string, string> {
  const message: Document = { ...props.document, media_type: 'message/rfc822', page_count: 1, title: text }
  const attachments = [1, 2, 3].map((n) => ({ ...props.document, id: `doc_${n + 1}`, name: `${n} ${text}`, parent_id: 'doc_1' }))
  const [own, answered] = ['The ferry is late.', 'When does it leave?']
  const body = [text, own, answered, text, own].join('\n')
  let end = 0
  const blocks = body.split('\n').map((line, n): Block => {
    const start = end
    end += line.length + 1
    const kind = n === 0 ? 'heading' : n === 3 ? 'table_row' : 'paragraph'
    return { kind, start, end: start + line.length, ...((n === 2 || n === 3) && { quoted: true }) }
  })
  const window = windowAt([{ number: 1, text: body, blocks }], { at: 0 })
  const shown = { ...props, window, lastPage: 1 }
  const skipped = [{ name: text, code: 'unsupported_type', page: 1 }]
  return {
    'document, message': renderDocument({
      ...shown,
      document: { ...message, parse: { attachments_skipped: skipped, attachments_skipped_count: 12 } },
      mail: { message: null, attachments, hasMore: true },
      passage: { start: body.indexOf(answered), end: body.indexOf(answered) + answered.length, marks: [[0, 4]] },
      fields: { q: 'when' },
    }),
    'document, attachment': renderDocument({
      ...shown,
      document: { ...message, parent_id: 'doc_9', parent_page: 2 },
      mail: { message: { ...message, id: 'doc_9' }, attachments: [], hasMore: false },
    }),
  }
}
