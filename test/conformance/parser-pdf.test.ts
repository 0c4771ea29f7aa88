import { makePdf, type Part } from '../support/make-documents.ts'
import { parserConformance, type ParserUnderTest } from './parser.ts'

const PAGES: Part[][] = [
  [
    { heading: 'The lease' },
    { text: 'It begins on the first of May and ends when one of the two gives notice in writing.' },
    { items: ['by transfer', 'never in cash'] },
  ],
  [{ text: 'Overleaf it goes on with the rent, which is due on the third working day of a month.' }],
]

const under = async (pdfEngine: 'pdfium' | 'pdf2json'): Promise<ParserUnderTest> => ({
  bytes: await makePdf(PAGES, { title: 'Lease of a flat' }),
  fileName: 'lease.pdf',
  mediaType: 'application/pdf',
  pdfEngine,
  expected: {
    engine: pdfEngine,
    title: 'Lease of a flat',
    pageCount: 2,
    texts: ['The lease', 'It begins', 'by transfer', 'never in cash', 'Overleaf it goes on'],
    kinds: ['heading', 'paragraph'],
  },
  broken: { 'under a password': await makePdf(PAGES, { password: 'secret' }) },
})

parserConformance('pdfium', () => under('pdfium'))
parserConformance('pdf2json', () => under('pdf2json'))
